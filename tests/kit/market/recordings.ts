/** Which files of a folder are recordings, and of which product: told from their names and their first rows. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE } from '../../../apps/server/src/market-data/catalogue/catalogue.ts';
import { type NaiveRecording, readNaively } from './naive/read-recording.ts';

export interface Recording {
  readonly file: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly text: string;
  readonly naive: NaiveRecording;
}

export interface Skipped {
  readonly file: string;
  readonly why: string;
}

/**
 * The files of the folder itself, one after the other (they may be large); what lies in folders below it is none of ours.
 */
export function* recordingsOf(folder: string): Generator<Recording | Skipped> {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isDirectory());
  for (const { name: file } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    yield readFile(join(folder, file), file);
  }
}

function readFile(path: string, file: string): Recording | Skipped {
  const product = productOf(file);
  if (product === null) return { file, why: 'its name has no symbol of the catalogue' };
  const text = readFileSync(path, 'utf8');
  const naive = readNaively(text.replace(/^\uFEFF/, ''));
  return typeof naive === 'string' ? { file, why: naive } : { file, ...product, text, naive };
}

/** `eurusd-ticks.csv`, `DAT_ASCII_EURUSD_T_202001.csv` and `eurusd202001.csv` are all of EUR/USD. */
function productOf(file: string): { symbol: string; decimals: number } | null {
  const words = file.toUpperCase().split(/[^A-Z0-9]+/);
  const isNamed = (letters: string) =>
    words.some((word) => word === letters || (letters.length >= 6 && word.startsWith(letters)));
  const found = CATALOGUE.find(({ symbol }) => isNamed(symbol.replace('/', '')));
  return found ? { symbol: found.symbol, decimals: found.decimals } : null;
}
