import { points } from '@fairtick/money';
import { CATALOGUE } from '../../../apps/server/src/market/catalogue/catalogue.ts';
import { quotesOf, type RecordedQuote } from '../../../apps/server/src/market/feeds/recording.ts';
import { createMarketModel, SOURCES } from '../../../apps/server/src/market/simulated/market-model.ts';
import { GRID_MS, type Quote } from '../../../packages/trading/src/index.ts';
import { Random } from '../hostile/random.ts';
import { INSTALLED_MS, SEEDS } from '../market/model-fixture.ts';
import { type Recording, recordingsOf } from '../market/recordings.ts';

/** The market's price is known this often. */
export const STEP_MS = 50;
const STEPS = GRID_MS / STEP_MS;

/** A product's price over a span, and what its sources say of it. Slots are grid times, counted from the start. */
export interface PricePath {
  readonly name: string;
  readonly isRecorded: boolean;
  readonly startMs: number;
  readonly slots: number;
  readonly staleMs: number;
  readonly outlierBps: number;
  /** The market's price, in points, every {@link STEP_MS}. */
  readonly mids: Float64Array;
  /** For each source, the quote that comes with each slot. */
  readonly quotes: readonly (readonly (Quote | null)[])[];
}

const boundsOf = (symbol: string) => {
  const product = CATALOGUE.find((each) => each.symbol === symbol);
  if (!product) throw new Error(`no product ${symbol}`);
  return { staleMs: product.staleMs, outlierBps: product.outlierBps };
};

/** A simulated product with its own sources. Between grid times, where the model draws a line, the price is a Brownian bridge. */
function simulatedPath(symbol: string, hours: number): PricePath {
  const startMs = Math.ceil(INSTALLED_MS / 3_600_000) * 3_600_000 + 3_600_000;
  const model = createMarketModel({ products: CATALOGUE, seeds: SEEDS, installedMs: INSTALLED_MS });
  const slots = hours * 14_400;
  const onGrid = new Float64Array(slots + 1);
  const quotes = SOURCES.map((): (Quote | null)[] => []);
  for (let slot = 0; slot <= slots; slot += 1) {
    const timeMs = startMs + slot * GRID_MS;
    onGrid[slot] = Number(model.priceAt(symbol, timeMs));
    const given = new Map(model.quotesAt(symbol, timeMs).map((quote) => [quote.source, quote]));
    for (const [at, source] of SOURCES.entries()) {
      const quote = given.get(source);
      (quotes[at] as (Quote | null)[]).push(
        quote ? { ...quote, sourceSeq: BigInt(quote.sourceSeq), receivedMs: quote.arrivesMs } : null,
      );
    }
  }
  return {
    name: symbol,
    isRecorded: false,
    startMs,
    slots,
    ...boundsOf(symbol),
    mids: bridged(onGrid),
    quotes,
  };
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

/** How far apart moments of simulated products are. */
const EVERY_MS = 15_000;
/** The price's past that a moment needs, to know how far it moves. */
const PAST_MS = 300_000;

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

/** Opening times over a path, which leave so much of it after the last. In a short recording they are close to each other. */
export function momentsOf(path: PricePath, moments: number, afterMs: number, random: Random): number[] {
  const wholeMs = path.slots * GRID_MS - PAST_MS - afterMs;
  const everyMs = Math.min(EVERY_MS, wholeMs / moments);
  return Array.from({ length: moments }, (_, place) => {
    const atMs = PAST_MS + (place + random.next()) * everyMs;
    return path.startMs + Math.floor(atMs / GRID_MS) * GRID_MS;
  });
}

/** A recorded price that three sources quote as the simulated ones do: a little late, and each with a small error of its own. */
function recordedPath({ file, symbol, decimals, read }: Recording): PricePath {
  const recorded = quotesOf(read, { decimals });
  const startMs = Math.ceil((recorded[0] as RecordedQuote).timeMs / 1000) * 1000;
  const slots = Math.floor(((recorded.at(-1) as RecordedQuote).timeMs - startMs) / GRID_MS);
  const mids = new Float64Array(slots * STEPS + 1);
  let next = 0;
  for (let step = 0; step < mids.length; step += 1) {
    while ((recorded[next + 1]?.timeMs ?? Number.POSITIVE_INFINITY) <= startMs + step * STEP_MS) next += 1;
    mids[step] = Number((recorded[next] as RecordedQuote).price);
  }
  const random = new Random(2);
  const quotes = SOURCES.map((source) =>
    Array.from({ length: slots + 1 }, (_, slot): Quote => {
      const timeMs = startMs + slot * GRID_MS;
      const sourceMs = timeMs - random.whole(20, 120);
      const mid = mids[Math.max(0, Math.floor((sourceMs - startMs) / STEP_MS))] as number;
      const error = (2 * random.next() - 1) * Math.max(1, mid * 0.000_005);
      return {
        source,
        price: points(BigInt(Math.round(mid + error))),
        sourceMs,
        sourceSeq: BigInt(slot + 1),
        receivedMs: sourceMs + random.whole(5, 20),
      };
    }),
  );
  return { name: file, isRecorded: true, startMs, slots, ...boundsOf(symbol), mids, quotes };
}
