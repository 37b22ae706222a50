import { CATALOGUE } from '../../../apps/server/src/market/catalogue/catalogue.ts';
import { quotesOf, type RecordedQuote } from '../../../apps/server/src/market/feeds/recording.ts';
import { MarketModel } from '../../../apps/server/src/market/simulated/market-model.ts';
import { GRID_MS } from '../../../packages/trading/src/index.ts';
import { Random } from '../hostile/random.ts';
import { INSTALLED_MS, SEEDS } from '../market/model-fixture.ts';
import { type Recording, recordingsOf } from '../market/recordings.ts';

/** The market's price is known this often. */
const STEP_MS = 50;
const STEPS = GRID_MS / STEP_MS;
/** How far apart moments of simulated products are. */
const EVERY_MS = 15_000;
/** The price's past that a moment needs, to know how far it moves. */
const PAST_MS = 300_000;

/** A market's price over a span, in points. */
export class PricePath {
  readonly name: string;
  readonly isRecorded: boolean;
  readonly startMs: number;
  readonly outlierBps: number;
  readonly #mids: Float64Array;
  /** The sums of the squares of all moves of a second, up to each second. */
  readonly #squares: Float64Array;

  constructor(name: string, startMs: number, mids: Float64Array, isRecorded: boolean, symbol: string) {
    this.name = name;
    this.isRecorded = isRecorded;
    this.startMs = startMs;
    this.outlierBps = CATALOGUE.find((each) => each.symbol === symbol)?.outlierBps ?? 50;
    this.#mids = mids;
    this.#squares = new Float64Array(Math.floor((this.endMs - startMs) / 1000) + 1);
    for (let second = 1; second < this.#squares.length; second += 1) {
      const atMs = startMs + second * 1000;
      const move = this.midAt(atMs) - this.midAt(atMs - 1000);
      this.#squares[second] = (this.#squares[second - 1] as number) + move * move;
    }
  }

  get endMs(): number {
    return this.startMs + (this.#mids.length - 1) * STEP_MS;
  }

  midAt(timeMs: number): number {
    const step = Math.min(Math.max(0, (timeMs - this.startMs) / STEP_MS), this.#mids.length - 1);
    const from = this.#mids[Math.floor(step)] as number;
    const to = this.#mids[Math.ceil(step)] as number;
    return from + (to - from) * (step % 1);
  }

  /** The standard deviation of a second's move, from those in the five minutes before. */
  secondMove(timeMs: number): number {
    const to = Math.min(Math.floor((timeMs - this.startMs) / 1000), this.#squares.length - 1);
    const from = Math.max(0, to - PAST_MS / 1000);
    const sum = (this.#squares[to] as number) - (this.#squares[from] as number);
    return Math.sqrt(sum / Math.max(1, to - from));
  }

  /** Whole seconds over the path, which leave so much of it after the last. In a short recording they are close to each other. */
  moments(count: number, afterMs: number, random: Random): number[] {
    const everyMs = Math.min(EVERY_MS, (this.endMs - this.startMs - PAST_MS - afterMs) / count);
    return Array.from({ length: count }, (_, place) => {
      const atMs = this.startMs + PAST_MS + (place + random.next()) * everyMs;
      return Math.floor(atMs / 1000) * 1000;
    });
  }
}

/** A simulated product. Between grid times, where the model draws a line, the price is a Brownian bridge. */
function simulatedPath(symbol: string, hours: number): PricePath {
  const startMs = Math.ceil(INSTALLED_MS / 3_600_000) * 3_600_000 + 3_600_000;
  const model = new MarketModel({ products: CATALOGUE, seeds: SEEDS, installedMs: INSTALLED_MS });
  const onGrid = Float64Array.from({ length: hours * 14_400 + 1 }, (_, slot) =>
    Number(model.priceAt(symbol, startMs + slot * GRID_MS)),
  );
  return new PricePath(symbol, startMs, bridged(onGrid), false, symbol);
}

function bridged(onGrid: Float64Array): Float64Array {
  const random = new Random(1);
  const mids = new Float64Array((onGrid.length - 1) * STEPS + 1);
  let variance = 0;
  for (let slot = 0; slot + 1 < onGrid.length; slot += 1) {
    const from = onGrid[slot] as number;
    const to = onGrid[slot + 1] as number;
    variance += ((to - from) ** 2 - variance) / Math.min(slot + 1, 240);
    const deviation = Math.sqrt(variance / STEPS);
    let walked = from;
    for (let step = 0; step < STEPS; step += 1) {
      mids[slot * STEPS + step] = walked;
      const left = STEPS - step;
      walked += (to - walked) / left + gaussian(random) * deviation * Math.sqrt((left - 1) / left);
    }
  }
  mids[mids.length - 1] = onGrid.at(-1) as number;
  return mids;
}

const gaussian = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

function recordedPath({ file, symbol, decimals, read }: Recording): PricePath {
  const recorded = quotesOf(read, { decimals });
  const startMs = Math.ceil((recorded[0] as RecordedQuote).timeMs / 1000) * 1000;
  const steps = Math.floor(((recorded.at(-1) as RecordedQuote).timeMs - startMs) / STEP_MS);
  let next = 0;
  const mids = Float64Array.from({ length: steps + 1 }, (_, step) => {
    while ((recorded[next + 1]?.timeMs ?? Number.POSITIVE_INFINITY) <= startMs + step * STEP_MS) next += 1;
    return Number((recorded[next] as RecordedQuote).price);
  });
  return new PricePath(file, startMs, mids, true, symbol);
}

/** Simulated products, and recordings of ticks in a folder; candles say too little of seconds. Each path is made when it is asked for. */
export function pathsFor(
  products: readonly string[],
  moments: number,
  recordings: string | undefined,
): (() => PricePath)[] {
  const hours = Math.ceil((moments * EVERY_MS + 2 * PAST_MS) / 3_600_000) + 1;
  const simulated = products.map((symbol) => () => simulatedPath(symbol, hours));
  const recorded = recordings === undefined ? [] : [...recordingsOf(recordings)];
  return [
    ...simulated,
    ...recorded.flatMap((found) =>
      'why' in found || found.read.form !== 'ticks' ? [] : [() => recordedPath(found)],
    ),
  ];
}
