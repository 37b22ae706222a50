import type { Points } from '@fairtick/money';
import { GRID_MS, type Quote } from '@fairtick/trading';
import type { Arrival } from '../feed.ts';
import { marketPrice } from './market-price.ts';
import { SourceCounts } from './source-figures.ts';
import type { VenueEvent } from './venue.ts';

/** A market of a venue that gives quotes of a product. */
export interface Listing {
  readonly productId: number;
  readonly decimals: number;
}

/** A writer that takes over asks for quotes of the last minute. */
const KEPT_MS = 60_000;
/** Signed updates of a market that are kept at most; feeds read five a second. */
const MOST_SIGNED = 320;
/** A source's time further ahead of ours than this is no time. */
const MOST_AHEAD_MS = 1_000;
/** A price is restated for this long on the proof that the venue lives; longer only if the venue says that it still holds. */
const QUIET_MS = 30_000;

interface Signed {
  readonly sourceSeq: bigint;
  readonly receivedMs: number;
  readonly update: Uint8Array;
}

interface Known {
  readonly price: Points;
  readonly order: bigint | null;
  /** The venue's time of the price; null: it names none. */
  readonly venueMs: number | null;
  /** When the venue last said this price, log's time. */
  saidMs: number;
}

/**
 * The quotes of one source, by product: of each grid step the newest, for a minute. A price is restated with the time of each later proof
 * that it still holds. The number of a quote is the microsecond of its receipt: the log wants a new one for each restatement, and two
 * processes that receive the same source have to agree on the order.
 */
export class QuoteBoard {
  readonly counts = new SourceCounts();
  readonly #source: string;
  readonly #listings: ReadonlyMap<string, Listing>;
  readonly #known = new Map<string, Known>();
  readonly #waiting = new Map<string, Quote[]>();
  readonly #last = new Map<string, Pick<Quote, 'sourceSeq' | 'sourceMs'>>();
  /** Signed updates of the last minute, oldest first, by market. */
  readonly #signed = new Map<string, Signed[]>();

  constructor(source: string, listings: ReadonlyMap<string, Listing>) {
    this.#source = source;
    this.#listings = listings;
  }

  /** @param receivedMs the log's time */
  apply(events: readonly VenueEvent[], receivedMs: number): void {
    for (const event of events) {
      if ('sourceMs' in event) this.counts.clock(receivedMs, event.sourceMs);
      if (event.kind === 'price') this.#price(event, receivedMs);
      else if (event.kind === 'refused') this.counts.refuse();
      else if (event.kind === 'gap') {
        // Without a market it is the end of a connection, which is counted as such.
        if (event.market !== null) this.counts.gap();
        this.#forget(event.market);
      } else if (event.kind === 'alive' || event.kind === 'unchanged') this.#restate(event, receivedMs);
    }
  }

  /** Ids of the products that have a price that still holds. */
  priced(nowMs: number): number[] {
    return [...this.#known]
      .filter(([, { saidMs }]) => nowMs - saidMs <= QUIET_MS)
      .map(([market]) => (this.#listings.get(market) as Listing).productId);
  }

  /** Quotes up to a time that were not taken yet, oldest first. */
  take(timeMs: number): Arrival[] {
    const arrivals: Arrival[] = [];
    for (const [market, waiting] of this.#waiting) {
      const count = waiting.findLastIndex(({ receivedMs }) => receivedMs <= timeMs) + 1;
      const { productId } = this.#listings.get(market) as Listing;
      for (const quote of waiting.splice(0, count)) arrivals.push({ productId, quote });
    }
    return arrivals;
  }

  /** The signed update that a quote is from, with its market; null where none is kept. */
  signedUpdate(productId: number, sourceSeq: bigint): { market: string; update: Uint8Array } | null {
    for (const [market, kept] of this.#signed) {
      if (this.#listings.get(market)?.productId !== productId) continue;
      const found = kept.find((one) => one.sourceSeq === sourceSeq);
      return found ? { market, update: found.update } : null;
    }
    return null;
  }

  #price(event: Extract<VenueEvent, { kind: 'price' }>, receivedMs: number): void {
    const { market, order } = event;
    const listing = this.#listings.get(market);
    if (!listing) return;
    const before = this.#known.get(market);
    const price = marketPrice(event.prices, listing.decimals);
    const sourceMs = event.sourceMs ?? receivedMs;
    const isOlder = before && (isBefore(event.sourceMs, before.venueMs) || isRepeated(order, before.order));
    if (price === null || sourceMs <= 0 || sourceMs > receivedMs + MOST_AHEAD_MS || isOlder) {
      // A price that can't be one says that the last one no longer holds.
      if (price === null) this.#forget(market);
      this.counts.ignore();
      return;
    }
    this.counts.price(receivedMs, event.sourceMs);
    this.#known.set(market, { price, order, venueMs: event.sourceMs, saidMs: receivedMs });
    const sourceSeq = this.#add(market, { price, sourceMs, receivedMs });
    if (event.signed) this.#keep(market, { sourceSeq, receivedMs, update: event.signed });
  }

  #keep(market: string, signed: Signed): void {
    const kept = this.#signed.get(market) ?? [];
    kept.push(signed);
    while ((kept[0] as Signed).receivedMs < signed.receivedMs - KEPT_MS || kept.length > MOST_SIGNED)
      kept.shift();
    this.#signed.set(market, kept);
  }

  #restate(event: Extract<VenueEvent, { kind: 'alive' | 'unchanged' }>, receivedMs: number): void {
    const markets = event.market === null ? this.#known.keys() : [event.market];
    for (const market of markets) {
      const known = this.#known.get(market);
      if (!known) continue;
      if (event.kind === 'unchanged') known.saidMs = receivedMs;
      if (receivedMs - known.saidMs > QUIET_MS) continue;
      const sourceMs = event.sourceMs ?? receivedMs;
      if (sourceMs > receivedMs + MOST_AHEAD_MS) continue;
      this.#add(market, { price: known.price, sourceMs, receivedMs });
    }
  }

  #forget(market: string | null): void {
    if (market === null) this.#known.clear();
    else this.#known.delete(market);
  }

  /** @returns the number of the quote */
  #add(market: string, said: Pick<Quote, 'price' | 'sourceMs' | 'receivedMs'>): bigint {
    const waiting = this.#waiting.get(market) ?? [];
    const last = this.#last.get(market) ?? { sourceSeq: 0n, sourceMs: 0 };
    const micros = BigInt(said.receivedMs) * 1_000n;
    const sourceSeq = micros > last.sourceSeq ? micros : last.sourceSeq + 1n;
    // On one connection a price that follows a proof of life is not older than the proof.
    const sourceMs = Math.max(said.sourceMs, last.sourceMs);
    this.#last.set(market, { sourceSeq, sourceMs });
    // A price sees the newest quote of a step alone.
    if (stepOf(waiting.at(-1)?.receivedMs ?? 0) === stepOf(said.receivedMs)) waiting.pop();
    waiting.push({ source: this.#source, ...said, sourceMs, sourceSeq });
    while ((waiting[0]?.receivedMs ?? said.receivedMs) < said.receivedMs - KEPT_MS) waiting.shift();
    this.#waiting.set(market, waiting);
    return sourceSeq;
  }
}

const stepOf = (timeMs: number): number => Math.ceil(timeMs / GRID_MS);

const isBefore = (ms: number | null, other: number | null): boolean =>
  ms !== null && other !== null && ms < other;

const isRepeated = (order: bigint | null, before: bigint | null): boolean =>
  order !== null && before !== null && order <= before;
