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
/** A price whose time is further behind that of the one before is older, whatever its number. */
const MOST_BEHIND_MS = 1_000;
/** Numbers or times that stay below earlier ones for this long are of a venue that began anew: only a new connection tells what holds. */
const MOST_OLDER_MS = 2_000;
/** A price is restated for this long on the proof that the venue lives; longer only if the venue says that it still holds. */
const QUIET_MS = 30_000;

interface Signed {
  readonly sourceSeq: bigint;
  readonly receivedMs: number;
  readonly update: Uint8Array;
}

interface Known {
  /** Null: unknown, because the market's last frame had no price that can be taken. */
  readonly price: Points | null;
  readonly order: bigint | null;
  /** The venue's time of the price; null: it names none. */
  readonly venueMs: number | null;
  /** When the venue last said this price, log's time. */
  saidMs: number;
  /** Since when frames of the market have been older than this one; null: the last one was not. */
  readonly olderSinceMs: number | null;
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
  #delay = new Delay();

  constructor(source: string, listings: ReadonlyMap<string, Listing>) {
    this.#source = source;
    this.#listings = listings;
  }

  /**
   * @param receivedMs the log's time
   * @returns false: the frames of a market are older than earlier ones for so long that a new connection is needed
   */
  apply(events: readonly VenueEvent[], receivedMs: number): boolean {
    for (const event of events) {
      if ('sourceMs' in event) {
        this.counts.clock(receivedMs, event.sourceMs);
        this.#delay.take(receivedMs, event.sourceMs);
      }
      if (event.kind === 'price') this.#price(event, receivedMs);
      else if (event.kind === 'refused') this.counts.refuse();
      else if (event.kind === 'anew') this.#begin();
      else if (event.kind === 'gap') {
        if (event.market !== null) this.counts.gap();
        this.#forget(event.market);
      } else if (event.kind === 'alive' || event.kind === 'unchanged') this.#restate(event, receivedMs);
    }
    return !this.#known
      .values()
      .some(({ olderSinceMs }) => olderSinceMs !== null && receivedMs - olderSinceMs >= MOST_OLDER_MS);
  }

  /** Ids of the products that have a price that still holds. */
  priced(nowMs: number): number[] {
    return [...this.#known]
      .filter(([, { price, saidMs }]) => price !== null && nowMs - saidMs <= QUIET_MS)
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
    const isTimely = sourceMs > 0 && sourceMs <= receivedMs + MOST_AHEAD_MS;
    const isPast = before !== undefined && isOlder(event, before);
    if (price === null || !isTimely || isPast) {
      // It shows that the last price may no longer hold, and does not show what does.
      this.#known.set(market, {
        price: null,
        order: laterOf(order, before?.order ?? null),
        venueMs: before?.venueMs ?? null,
        saidMs: receivedMs,
        olderSinceMs: isPast ? (before.olderSinceMs ?? receivedMs) : null,
      });
      this.counts.ignore();
      return;
    }
    this.counts.price(receivedMs, event.sourceMs);
    this.#known.set(market, {
      price,
      order,
      venueMs: event.sourceMs,
      saidMs: receivedMs,
      olderSinceMs: null,
    });
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
      if (!known || known.price === null) continue;
      if (event.kind === 'unchanged') known.saidMs = receivedMs;
      if (receivedMs - known.saidMs > QUIET_MS) continue;
      const sourceMs = event.sourceMs ?? receivedMs - this.#delay.least();
      if (sourceMs > receivedMs + MOST_AHEAD_MS) continue;
      this.#add(market, { price: known.price, sourceMs, receivedMs });
    }
  }

  #forget(market: string | null): void {
    for (const [name, known] of this.#known)
      if (market === null || name === market) this.#known.set(name, { ...known, price: null });
  }

  #begin(): void {
    this.#known.clear();
    this.#delay = new Delay();
    for (const [market, last] of this.#last) this.#last.set(market, { ...last, sourceMs: 0 });
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
    // Of the quotes received within one step a price takes only the newest.
    if (stepOf(waiting.at(-1)?.receivedMs ?? 0) === stepOf(said.receivedMs)) waiting.pop();
    waiting.push({ source: this.#source, ...said, sourceMs, sourceSeq });
    while ((waiting[0]?.receivedMs ?? said.receivedMs) < said.receivedMs - KEPT_MS) waiting.shift();
    this.#waiting.set(market, waiting);
    return sourceSeq;
  }
}

const stepOf = (timeMs: number): number => Math.ceil(timeMs / GRID_MS);

const laterOf = (a: bigint | null, b: bigint | null): bigint | null =>
  a !== null && (b === null || a > b) ? a : b;

/** Whether a price is from before another one: by its number, unless its time denies that. Where both are equal, the later frame counts. */
function isOlder(
  { order, sourceMs }: Extract<VenueEvent, { kind: 'price' }>,
  before: Pick<Known, 'order' | 'venueMs'>,
): boolean {
  const laterMs = sourceMs === null || before.venueMs === null ? null : sourceMs - before.venueMs;
  if (laterMs !== null && laterMs < -MOST_BEHIND_MS) return true;
  // A later time with a lower number is of a venue whose numbers began anew.
  if (order !== null && before.order !== null) return order < before.order && (laterMs ?? 0) <= 0;
  return (laterMs ?? 0) < 0;
}

const DELAY_WINDOW_MS = 5_000;

/** How late a connection is: the least age, on receipt, of what had a time in the last such window and the one before. A proof without a time is as late. */
class Delay {
  #sinceMs = 0;
  #before = Number.POSITIVE_INFINITY;
  #now = Number.POSITIVE_INFINITY;

  take(receivedMs: number, venueMs: number | null): void {
    if (venueMs === null || venueMs > receivedMs + MOST_AHEAD_MS) return;
    if (receivedMs - this.#sinceMs >= DELAY_WINDOW_MS) {
      this.#before = this.#now;
      this.#now = Number.POSITIVE_INFINITY;
      this.#sinceMs = receivedMs;
    }
    this.#now = Math.min(this.#now, receivedMs - venueMs);
  }

  /** In ms; zero where nothing had a time. */
  least(): number {
    const leastMs = Math.min(this.#before, this.#now);
    return leastMs === Number.POSITIVE_INFINITY ? 0 : Math.max(leastMs, 0);
  }
}
