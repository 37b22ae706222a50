import { points } from '@fairtick/money';
import {
  decideFix,
  type FixAnswer,
  type FixRules,
  type KnownRecord,
  type SourceRecord,
} from '../../../packages/trading/src/index.ts';
import { Random } from '../hostile/random.ts';
import type { PricePath } from './price-path.ts';

/** How the sources of a market put prices on record. */
export interface Manner {
  readonly name: string;
  readonly sources: number;
  /** Mean time between two records of a source; they come at random, as trades do. */
  readonly everyMs: number;
  /** Distance of a trade from the middle, in points: it is a purchase or a sale. */
  readonly halfSpread: number;
  /** A lasting difference of each source, uniform within ± this, in points. */
  readonly offset: number;
  readonly quietMs: number;
}

/** A record that a house or a customer brought about in place of the honest one. */
export type Changed = (source: number, honest: KnownRecord) => KnownRecord;

/** The records of a market's sources along a path, and the fixes of them. */
export class RecordMarket {
  readonly path: PricePath;
  readonly manner: Manner;
  readonly rules: FixRules;
  readonly #times: readonly Float64Array[];
  readonly #prices: readonly Float64Array[];
  readonly #honest = new Map<number, FixAnswer>();

  constructor(path: PricePath, manner: Manner, seed: number) {
    this.path = path;
    this.manner = manner;
    const names = Array.from({ length: manner.sources }, (_, at) => sourceName(at));
    const { quietMs } = manner;
    this.rules = { sources: names, quorum: (manner.sources >> 1) + 1, quietMs, outlierBps: path.outlierBps };
    const traded = names.map((_, at) => trades(path, manner, new Random(seed + at)));
    this.#times = traded.map(({ times }) => times);
    this.#prices = traded.map(({ prices }) => prices);
  }

  /** A source's last record at or before a time, and how many of its records that is; null before its first. */
  lastAt(source: number, timeMs: number): { readonly at: number; readonly record: SourceRecord } | null {
    const at = countUntil(this.#times[source] as Float64Array, timeMs) - 1;
    return at < 0 ? null : { at, record: this.#record(source, at) };
  }

  /** The records of a source in the last `mostMs` before a time, the latest first. */
  before(source: number, timeMs: number, mostMs: number): SourceRecord[] {
    const found: SourceRecord[] = [];
    for (let at = this.lastAt(source, timeMs)?.at ?? -1; at >= 0; at -= 1) {
      const record = this.#record(source, at);
      if (timeMs - record.timeMs > mostMs) break;
      found.push(record);
    }
    return found;
  }

  /** The fix of the records as they are, or as somebody changed them. */
  fixAt(timeMs: number, changed?: Changed): FixAnswer {
    if (changed) return this.#fix(timeMs, changed);
    const known = this.#honest.get(timeMs) ?? this.#fix(timeMs, (_, honest) => honest);
    this.#honest.set(timeMs, known);
    return known;
  }

  #fix(timeMs: number, changed: Changed): FixAnswer {
    const records = this.rules.sources.flatMap((source, at) => {
      const last = this.lastAt(at, timeMs)?.record;
      return last ? [changed(at, { source, last, closing: { by: 'said' } })] : [];
    });
    return decideFix({ fixMs: timeMs, records, rules: this.rules });
  }

  #record(source: number, at: number): SourceRecord {
    const timeMs = Math.round((this.#times[source] as Float64Array)[at] as number);
    const price = points(BigInt((this.#prices[source] as Float64Array)[at] as number));
    return { number: BigInt(at), timeMs, price };
  }
}

const sourceName = (at: number): string => String.fromCharCode(97 + at);

function trades(path: PricePath, { everyMs, halfSpread, offset }: Manner, random: Random) {
  const times: number[] = [];
  const prices: number[] = [];
  const own = (2 * random.next() - 1) * offset;
  let timeMs = path.startMs;
  while (timeMs < path.endMs) {
    const side = random.isLikely(0.5) ? halfSpread : -halfSpread;
    times.push(timeMs);
    prices.push(Math.max(1, Math.round(path.midAt(timeMs) + own + side)));
    timeMs -= everyMs * Math.log(1 - random.next());
  }
  return { times: Float64Array.from(times), prices: Float64Array.from(prices) };
}

/** How many of the ascending times are at or before one. */
function countUntil(times: Float64Array, timeMs: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
