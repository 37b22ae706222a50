import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { productionPackages } from '../third-party.ts';

const RULE = `\n\n${'-'.repeat(80)}\n\n`;

/** The texts of a package's licence and notices, from its own files; empty: it brings none. */
export function licenceOf(folder: string): string {
  if (!existsSync(folder)) return '';
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(file));
  return files
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
    .join('\n\n');
}

/**
 * Licences of all packages that an installation fetches or whose code is in the built apps.
 * @param root with a lock file and its packages; those for other systems are named without a text
 */
export function noticeOf(root: string): string {
  const packages = productionPackages(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const head =
    'Third parties of Fairtick, with their licences. docs/THIRD_PARTY.md names the sources of those that ask for them.';
  const parts = packages.map(({ name, version, licence, path }) => {
    const text = licenceOf(join(root, path)) || 'The package itself brings the text, or names it.';
    return `${name} ${version} (${licence})\n\n${text}`;
  });
  return `${[head, ...parts].join(RULE)}\n`;
}
