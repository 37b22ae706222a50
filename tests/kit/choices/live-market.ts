import { points } from '@fairtick/money';
import { quorumOf } from '../../../apps/server/src/market/feeds/live/live-products.ts';
import { QuoteBoard } from '../../../apps/server/src/market/feeds/live/quote-board.ts';
import { type FrameReader, readFrame, type Venue } from '../../../apps/server/src/market/feeds/live/venue.ts';
import { VENUES } from '../../../apps/server/src/market/feeds/live/venues.ts';
import type { Quote } from '../../../packages/trading/src/index.ts';
import { Random } from '../hostile/random.ts';
import { FRAMES, type FrameOf } from '../venues/frames.ts';
import { type PricePath, STEP_MS } from './price-path.ts';
import { type PriceRules, TracedMarket } from './traced-market.ts';

/**
 * How often a venue's frames come. Proofs are what it documents; how often its book changes depends on the market, and trades are rarer
 * than changes of the book.
 */
interface Cadence {
  /** Changes of the book to one frame. */
  readonly changes: number;
  /** A proof that the price holds comes so often; `isAfter`: only so long after the last frame. Null: with each answer to our ping. */
  readonly proofMs: number | null;
  readonly isAfter: boolean;
  readonly hasTime: boolean;
}

export const CADENCES: Readonly<Record<string, Cadence>> = {
  binance: { changes: 1, proofMs: 1_000, isAfter: false, hasTime: false },
  bitstamp: { changes: 1, proofMs: null, isAfter: false, hasTime: true },
  bybit: { changes: 1, proofMs: 3_000, isAfter: true, hasTime: true },
  coinbase: { changes: 5, proofMs: 1_000, isAfter: false, hasTime: true },
  kraken: { changes: 1, proofMs: 1_000, isAfter: true, hasTime: true },
  okx: { changes: 1, proofMs: null, isAfter: false, hasTime: true },
};

/** From a venue's own time to the receipt. */
const LEAST_TRANSPORT_MS = 20;
const MOST_TRANSPORT_MS = 120;
/** Each venue's price differs from the market's by up to this share of it, or by a point. */
const ERROR = 0.000_005;

/** How lively a market is: the mean time between two changes of a venue's book, and between two pings where the pong is the proof. */
export interface Tempo {
  readonly changeMs: number;
  readonly pingMs: number;
}

/** The quotes that the adapter of one venue and its board make of a market's frames, oldest first. */
export class VenueSeries {
  readonly source: string;
  readonly hasTime: boolean;
  readonly #prices: number[] = [];
  readonly #sourceMs: number[] = [];
  readonly #receivedMs: number[] = [];

  constructor(path: PricePath, venue: Venue, { changeMs, pingMs }: Tempo, random: Random) {
    this.source = venue.source;
    const cadence = CADENCES[venue.source] as Cadence;
    const everyMs = cadence.proofMs ?? pingMs;
    this.hasTime = cadence.hasTime;
    const wire = new Wire(venue);
    let [order, receivedMs, frameMs, proofMs, mid] = [100, 0, 0, 0, 0];
    for (let step = 0; step < path.mids.length; step += 1) {
      const atMs = Math.floor(path.startMs + step * STEP_MS);
      const isFrame = step === 0 || random.isLikely(STEP_MS / (changeMs * cadence.changes));
      const isProof = !isFrame && atMs - (cadence.isAfter ? Math.max(frameMs, proofMs) : proofMs) >= everyMs;
      if (!isFrame && !isProof) continue;
      receivedMs = Math.max(receivedMs, atMs + random.whole(LEAST_TRANSPORT_MS, MOST_TRANSPORT_MS));
      if (isFrame) {
        order += 1;
        const market = path.mids[step] as number;
        mid = Math.max(1, Math.round(market + (2 * random.next() - 1) * Math.max(1, market * ERROR)));
        frameMs = atMs;
      } else proofMs = atMs;
      const quote = isFrame
        ? wire.price(mid, { atMs, order, receivedMs })
        : wire.proof(mid, { atMs, order, receivedMs });
      if (!quote) continue;
      this.#prices.push(Number(quote.price));
      this.#sourceMs.push(quote.sourceMs);
      this.#receivedMs.push(quote.receivedMs);
    }
  }

  /** The place of the newest quote that was received by a time; −1: none. */
  newestBy(timeMs: number): number {
    let [low, high] = [0, this.#receivedMs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#receivedMs[middle] as number) <= timeMs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  olderMs(place: number): number {
    return Math.min(this.#sourceMs[place] as number, this.#receivedMs[place] as number);
  }

  quote(place: number): Quote | undefined {
    if (place < 0 || place >= this.#prices.length) return undefined;
    return {
      source: this.source,
      price: points(BigInt(this.#prices[place] as number)),
      sourceMs: this.#sourceMs[place] as number,
      receivedMs: this.#receivedMs[place] as number,
      sourceSeq: BigInt(place),
    };
  }
}

interface Said {
  readonly atMs: number;
  readonly order: number;
  readonly receivedMs: number;
}

/** A venue's frames, read by its adapter onto its board. */
class Wire {
  readonly #frames: FrameOf;
  readonly #read: FrameReader;
  readonly #board: QuoteBoard;

  constructor(venue: Venue) {
    this.#frames = FRAMES[venue.source] as FrameOf;
    const { market } = this.#frames;
    this.#read = venue.reader(new Set([market]));
    this.#board = new QuoteBoard(venue.source, new Map([[market, { productId: 1, decimals: 0 }]]));
  }

  price(mid: number, { atMs, order, receivedMs }: Said): Quote | undefined {
    const text = String(mid);
    return this.#hear(this.#frames.price({ bid: text, ask: text, atMs, order }), receivedMs);
  }

  /** Where the pong is no proof, the last frame is said again, under its number. */
  proof(mid: number, said: Said): Quote | undefined {
    const text = this.#frames.alive(said);
    return text === null ? this.price(mid, said) : this.#hear(text, said.receivedMs);
  }

  #hear(text: string, receivedMs: number): Quote | undefined {
    this.#board.apply(this.#read(text === 'pong' ? text : readFrame(text)), receivedMs);
    return this.#board.take(receivedMs).at(-1)?.quote;
  }
}

/** The series of all these sources. */
export function seriesOf(path: PricePath, sources: readonly string[], tempo: Tempo): VenueSeries[] {
  return VENUES.filter(({ source }) => sources.includes(source)).map(
    (venue, place) => new VenueSeries(path, venue, tempo, new Random(31 + place)),
  );
}

/** How live sources are priced, as the live feed's rules say. */
const LIVE = { lagMs: 0, staleMs: 5_000, outlierBps: 50 };

/** A product with live sources, and what a house knows of them. */
export class LiveMarket extends TracedMarket {
  readonly #series: readonly VenueSeries[];
  /** Sources' own times are not held against a quote of the coming time: what the rule before the third edition allowed. */
  readonly #isBlind: boolean;
  readonly #outageMs: number;

  constructor(
    path: PricePath,
    series: readonly VenueSeries[],
    { freshMs, isBlind = false, outageMs = 0 }: { freshMs: number; isBlind?: boolean; outageMs?: number },
  ) {
    const sources = series.map(({ source }) => source);
    const rules: PriceRules = { ...LIVE, sources, quorum: quorumOf(sources), freshMs };
    super(path, { isSteady: true, lagMs: LIVE.lagMs, freshMs }, rules);
    this.#series = series;
    this.#isBlind = isBlind;
    this.#outageMs = outageMs;
  }

  override latest(slot: number): (Quote | undefined)[] {
    const byMs = this.timeOf(slot) - this.#outageMs;
    return this.#series.map((series) => series.quote(series.newestBy(byMs)));
  }

  override heldBack(source: number, slot: number, mostMs: number): Quote[] {
    const series = this.#series[source] as VenueSeries;
    const held: Quote[] = [];
    const fromMs = this.timeOf(slot) - mostMs;
    for (let at = series.newestBy(this.timeOf(slot)) - 1; at >= 0 && series.olderMs(at) >= fromMs; at -= 1)
      held.push(series.quote(at) as Quote);
    return held;
  }

  /** What a house whose clock is behind can list as of now: quotes with a time of the source's own are of the coming time, and say so. */
  override coming(source: number, slot: number, aheadMs: number): Quote[] {
    const series = this.#series[source] as VenueSeries;
    const timeMs = this.timeOf(slot);
    const quotes: Quote[] = [];
    for (let at = series.newestBy(timeMs) + 1; at <= series.newestBy(timeMs + aheadMs); at += 1) {
      const quote = series.quote(at) as Quote;
      const sourceMs = this.#isBlind || !series.hasTime ? timeMs : quote.sourceMs;
      quotes.push({ ...quote, sourceMs, receivedMs: timeMs });
    }
    return quotes;
  }
}
