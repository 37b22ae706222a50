import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decisionIndex, INDEX_PATH, readDecisions } from './decision-index.ts';

/** Writes the index of the decisions from the rooms that they name. */
const ROOT = join(import.meta.dirname, '..');
writeFileSync(join(ROOT, INDEX_PATH), decisionIndex(readDecisions(ROOT)));
