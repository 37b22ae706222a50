import { readFileSync } from 'node:fs';
import { FUNCTIONS } from '../database/server-rights.ts';
import type { Lists } from './guard.ts';

/** The lists stand in text files, a line each; a line that begins with # says something about those below it. */
export function readLines(name: string): string[] {
  return readFileSync(new URL(`./lists/${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function readMap(name: string): Map<string, string> {
  return new Map(
    readLines(name).map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
}

export function readLists(): Lists {
  return {
    columns: readMap('columns'),
    functions: readMap('functions'),
    dynamic: new Set(readLines('dynamic')),
    triggers: new Set(readLines('triggers')),
    policies: new Set(readLines('behind-statements')),
    callable: FUNCTIONS,
  };
}
