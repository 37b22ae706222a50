/** Writes docs/receipt-vectors.json. */
import { writeFileSync } from 'node:fs';
import { makeVectors } from './vectors.ts';

const file = new URL('../../../docs/receipt-vectors.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(makeVectors(), null, 2)}\n`);
