import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Public keys that sign releases, as `ssh-keygen -Y verify -f` reads them; without the file the notes name none. */
export const SIGNERS_PATH = 'ops/release-signers.txt';

/** Keys of witnesses and a quorum, as `fairtick verify --policy` reads them; a release without the file pins none. */
export const POLICY_PATH = 'ops/witness-policy.txt';

interface Section {
  readonly title: string;
  readonly text: string;
}

/** A version's section of the changelog; null: it has none. */
export function sectionOf(root: string, version: string): Section | null {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m).slice(1);
  const section = sections.find((one) => one.split(/[,\s]/, 1)[0] === version);
  if (section === undefined) return null;
  const [title = '', ...lines] = section.split('\n');
  return { title, text: lines.join('\n').trim() };
}

/** The text that a release is published with. */
export function notesOf(root: string, version: string, commit: string): string {
  const { title, text } = sectionOf(root, version) as Section;
  return `# Fairtick ${title}

Commit ${commit}. How to check these files before they are used: docs/RELEASES.md.

## Keys to pin

${keysOf(root)}

${text.replaceAll(/^### /gm, '## ')}
`;
}

const keysOf = (root: string): string =>
  [
    shown(root, SIGNERS_PATH, 'Signing keys of releases, for `ssh-keygen -Y verify -f`') ??
      'Signing keys of releases: none.',
    shown(root, POLICY_PATH, 'Witnesses and their quorum, for `fairtick verify --policy`') ??
      'Witnesses: none. Every receipt says "not independently witnessed" unless its reader brings a policy (docs/OPERATIONS.md, Policy).',
  ].join('\n\n');

function shown(root: string, path: string, what: string): string | null {
  const file = join(root, path);
  return existsSync(file)
    ? `${what} (\`${path}\`):\n\n\`\`\`\n${readFileSync(file, 'utf8').trim()}\n\`\`\``
    : null;
}
