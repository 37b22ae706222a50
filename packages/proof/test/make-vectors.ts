/** Writes docs/receipt-vectors.json. */
import { writeFileSync } from 'node:fs';
import { makeVectors } from './vectors.ts';

const file = new URL('../../../docs/receipt-vectors.json', import.meta.url);
/** One line for each vector. */
function* lines(vectors: object): Generator<string> {
  for (const [name, part] of Object.entries(vectors)) {
    const isList = Array.isArray(part);
    if (typeof part !== 'object') yield `${JSON.stringify(name)}: ${JSON.stringify(part)}`;
    else {
      const each = Object.entries(part).map(
        ([key, value]) => `${isList ? '' : `${JSON.stringify(key)}: `}${JSON.stringify(value)}`,
      );
      yield `${JSON.stringify(name)}: ${isList ? '[' : '{'}\n${each.join(',\n')}\n${isList ? ']' : '}'}`;
    }
  }
}

writeFileSync(file, `{\n${[...lines(makeVectors())].join(',\n')}\n}\n`);
