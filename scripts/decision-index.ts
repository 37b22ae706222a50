import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export const INDEX_PATH = 'docs/decisions/README.md';

const HEAD = `# Decisions by room

A record says what was decided, why, and what was tried. The line below its heading names its rooms: folders, written as in
[ARCHITECTURE.md](../ARCHITECTURE.md). \`npm run decisions\` writes this page.
`;

export interface DecisionRecord {
  readonly file: string;
  readonly heading: string;
  readonly rooms: readonly string[];
}

export function readDecisions(root: string): DecisionRecord[] {
  const files = globSync('docs/decisions/[0-9]*.md', { cwd: root }).sort();
  return files.map((file) => {
    const [heading = '', , rooms = ''] = readFileSync(join(root, file), 'utf8').split('\n');
    return { file, heading, rooms: [...rooms.matchAll(/`([^`]+)`/g)].map(([, room = '']) => room) };
  });
}

/** A list of the records for each room that one of them names. */
export function decisionIndex(records: readonly DecisionRecord[]): string {
  const rooms = new Set(records.flatMap((record) => record.rooms));
  const parts = [...rooms].sort().map((room) => {
    const lines = records
      .filter((record) => record.rooms.includes(room))
      .map(
        ({ file, heading }) => `- [${heading.slice(2).replace(/ \(accepted.*/, '')}](${basename(file)})\n`,
      );
    return `\n## ${room}\n\n${lines.join('')}`;
  });
  return HEAD + parts.join('');
}
