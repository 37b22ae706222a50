import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Which build runs: `/healthz`, the metrics and `--version` tell it. */

const ROOT = join(import.meta.dirname, '../../../..');
const COMMIT_DIGITS = 12;

export const { version: VERSION } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
) as { version: string };

/** The commit of the checkout, or of the release, whose file COMMIT holds it; null where there is neither. */
export const COMMIT: string | null = readCommit();

export const BUILD: string = COMMIT === null ? VERSION : `${VERSION} (${COMMIT})`;

function readCommit(): string | null {
  const read = (name: string) => {
    const file = join(ROOT, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  try {
    const head = (read('.git/HEAD') || read('COMMIT')).trim();
    const [, ref] = /^ref: (.+)$/.exec(head) ?? [];
    const packed = () =>
      read('.git/packed-refs')
        .split('\n')
        .find((line) => line.endsWith(` ${ref}`))
        ?.split(' ')[0];
    const hash = ref === undefined ? head : read(`.git/${ref}`).trim() || packed();
    return hash && /^[0-9a-f]{40,64}$/.test(hash) ? hash.slice(0, COMMIT_DIGITS) : null;
  } catch {
    // No folder, but a file of another folder's, or one that this user may not read.
    return null;
  }
}
