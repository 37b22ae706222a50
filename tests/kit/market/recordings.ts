/** Finds a folder's recordings and their products, by file names. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE } from '../../../apps/server/src/market/catalogue/catalogue.ts';
import {
  type Recording as ReadRecording,
  readRecording,
} from '../../../apps/server/src/market/feeds/recording.ts';
import { Random } from '../hostile/random.ts';

export interface Recording {
  readonly file: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly bytes: Uint8Array;
  readonly read: ReadRecording;
}

export interface Skipped {
  readonly file: string;
  readonly why: string;
}

/** The files of the folder, one at a time because they may be large; subfolders are ignored. */
export function* recordingsOf(folder: string): Generator<Recording | Skipped> {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isDirectory());
  for (const { name: file } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    yield readFile(join(folder, file), file);
  }
}

function readFile(path: string, file: string): Recording | Skipped {
  const product = productOf(file);
  const bytes = readFileSync(path);
  try {
    const read = readRecording(bytes, product?.symbol);
    if (read.rows.length === 0) return { file, why: 'it has no rows' };
    if (product === null)
      return { file, why: `its name has no symbol of the catalogue (${read.description})` };
    return { file, ...product, bytes, read };
  } catch (error) {
    return { file, why: (error as Error).message };
  }
}

/** `eurusd-ticks.csv`, `DAT_ASCII_EURUSD_T_202001.csv` and `eurusd202001.csv` all mean EUR/USD. */
function productOf(file: string): { symbol: string; decimals: number } | null {
  const words = file.toUpperCase().split(/[^A-Z0-9]+/);
  const isNamed = (letters: string) =>
    words.some((word) => word === letters || (letters.length >= 6 && word.startsWith(letters)));
  const found = CATALOGUE.find(({ symbol }) => isNamed(symbol.replace('/', '')));
  return found ? { symbol: found.symbol, decimals: found.decimals } : null;
}

/** Generated recordings in every format that a replay reads, small enough for every test run. */
export type MadeForm = 'truefx' | 'truefx-symbol' | 'histdata-ticks' | 'ohlc' | 'histdata-minutes';

export interface MadeOptions {
  readonly form: MadeForm;
  readonly symbol: string;
  readonly decimals: number;
  /** Time of the first row, UTC. */
  readonly startMs: number;
  readonly rows: number;
  readonly seed: number;
  /** After this many rows comes a gap longer than a recorded price is valid. */
  readonly holeAfter?: number;
}

const HOLE_MS = 11 * 60_000 + 7_310;
const EST_MS = 5 * 3_600_000;

export function makeRecording(options: MadeOptions): string {
  const source = new Random(options.seed);
  const random = () => source.next();
  const isCandles = options.form === 'ohlc' || options.form === 'histdata-minutes';
  const lines = options.form === 'truefx' ? ['timestamp,bid,ask'] : [];
  if (options.form === 'ohlc') lines.push('timestamp,open,high,low,close');
  let timeMs = options.startMs;
  let middle = 110_000;
  for (let row = 0; row < options.rows; row += 1) {
    middle += (random() - 0.5) * 40;
    lines.push((isCandles ? candleLine : tickLine)(options, timeMs, middle, random));
    if (isCandles) timeMs += 60_000;
    // Mostly bursts, sometimes a few seconds without quotes, and sometimes two quotes in one millisecond.
    else timeMs += Math.floor(random() ** 4 * 9_000);
    if (row === options.holeAfter) timeMs += isCandles ? Math.ceil(HOLE_MS / 60_000) * 60_000 : HOLE_MS;
  }
  return `${lines.join('\n')}\n`;
}

type Line = (options: MadeOptions, timeMs: number, middle: number, random: () => number) => string;

const tickLine: Line = ({ form, symbol, decimals }, timeMs, middle, random) => {
  // One decimal more than the product has, so that the middle of bid and ask is rounded down.
  const bid = ((middle - random() * 3) / 10 ** decimals).toFixed(decimals + 1);
  const ask = ((middle + random() * 3) / 10 ** decimals).toFixed(decimals + 1);
  if (form === 'histdata-ticks') return `${compact(timeMs - EST_MS, true)},${bid},${ask},0`;
  if (form === 'truefx-symbol') return `${symbol},${spaced(timeMs)},${bid},${ask}`;
  return `${new Date(timeMs).toISOString().replace('T', ' ').replace('Z', '000+00:00')},${bid},${ask}`;
};

const candleLine: Line = ({ form, decimals }, timeMs, middle, random) => {
  const price = (points: number) => (points / 10 ** decimals).toFixed(decimals);
  const close = middle + (random() - 0.5) * 20;
  const high = Math.max(middle, close) + random() * 9;
  const low = Math.min(middle, close) - random() * 9;
  const values = [middle, high, low, close].map((points) => price(Math.round(points)));
  if (form === 'histdata-minutes') return `${compact(timeMs - EST_MS, false)};${values.join(';')};0`;
  return `${new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ')}+00:00,${values.join(',')}`;
};

/** `20260131 235959999`, or without the milliseconds. */
function compact(timeMs: number, hasMs: boolean): string {
  const digits = new Date(timeMs).toISOString().replace(/\D/g, '');
  return `${digits.slice(0, 8)} ${digits.slice(8, hasMs ? 17 : 14)}`;
}

/** `20260131 23:59:59.999` */
function spaced(timeMs: number): string {
  const iso = new Date(timeMs).toISOString();
  return `${iso.slice(0, 10).replaceAll('-', '')} ${iso.slice(11, 23)}`;
}
