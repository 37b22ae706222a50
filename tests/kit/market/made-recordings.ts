/** Recordings that nobody recorded, in every form that a replay reads: small enough for every run of the tests. */
import { randomFrom } from './plan-orders.ts';

export type MadeForm = 'truefx' | 'truefx-symbol' | 'histdata-ticks' | 'ohlc' | 'histdata-minutes';

export interface MadeOptions {
  readonly form: MadeForm;
  readonly symbol: string;
  readonly decimals: number;
  /** Of the first row, UTC. */
  readonly startMs: number;
  readonly rows: number;
  readonly seed: number;
  /** After so many rows nothing is recorded for longer than a recorded price holds. */
  readonly holeAfter?: number;
}

const HOLE_MS = 11 * 60_000 + 7_310;
const EST_MS = 5 * 3_600_000;

export function makeRecording(options: MadeOptions): string {
  const random = randomFrom(options.seed);
  const isCandles = options.form === 'ohlc' || options.form === 'histdata-minutes';
  const lines = options.form === 'truefx' ? ['timestamp,bid,ask'] : [];
  if (options.form === 'ohlc') lines.push('timestamp,open,high,low,close');
  let timeMs = options.startMs;
  let middle = 110_000;
  for (let row = 0; row < options.rows; row += 1) {
    middle += (random() - 0.5) * 40;
    lines.push((isCandles ? candleLine : tickLine)(options, timeMs, middle, random));
    if (isCandles) timeMs += 60_000;
    // Mostly bursts, now and then some seconds of nothing, and sometimes two quotes in one millisecond.
    else timeMs += Math.floor(random() ** 4 * 9_000);
    if (row === options.holeAfter) timeMs += isCandles ? Math.ceil(HOLE_MS / 60_000) * 60_000 : HOLE_MS;
  }
  return `${lines.join('\n')}\n`;
}

type Line = (options: MadeOptions, timeMs: number, middle: number, random: () => number) => string;

const tickLine: Line = ({ form, symbol, decimals }, timeMs, middle, random) => {
  // A decimal more than the product has: the middle of bid and ask is then rounded down.
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
