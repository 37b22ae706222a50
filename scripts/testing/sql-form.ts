import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The longest line, in characters. */
const WIDTH = 130;

/** Faults of the form of SQL files: long lines, tabs, blanks at the end of a line, and indentation by other than two blanks. */
export function sqlFormFaults(root: string): string[] {
  return globSync('apps/server/{schema,migrations}/**/*.sql', { cwd: root })
    .sort()
    .flatMap((file) => lineFaults(file, readFileSync(join(root, file), 'utf8')));
}

export function lineFaults(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, at) => {
    const indentation = line.length - line.trimStart().length;
    const faults = [
      [[...line].length > WIDTH, `is longer than ${WIDTH} characters`],
      [line.includes('\t'), 'has a tab'],
      [line !== line.trimEnd(), 'ends with blanks'],
      [indentation % 2 === 1, 'is indented by an odd number of blanks'],
    ] as const;
    return faults.flatMap(([isFault, says]) => (isFault ? [`${file}:${at + 1} ${says}`] : []));
  });
}
