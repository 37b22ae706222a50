import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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

function keysOf(root: string): string {
  const file = join(root, POLICY_PATH);
  if (!existsSync(file))
    return 'This release pins no witness: every receipt says "not independently witnessed" unless its reader brings a policy (docs/OPERATIONS.md, Policy).';
  return `Witnesses and their quorum, for \`fairtick verify --policy\` (\`${POLICY_PATH}\`):

\`\`\`
${readFileSync(file, 'utf8').trim()}
\`\`\``;
}
