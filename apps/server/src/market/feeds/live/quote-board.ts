import type { Points } from '@fairtick/money';
import { GRID_MS, type Quote } from '@fairtick/trading';
import type { Arrival } from '../feed.ts';
import { marketPrice } from './market-price.ts';
import type { SourceMarket } from './record-history.ts';
import { SourceCounts } from './source-figures.ts';
import type { VenueEvent } from './venue.ts';

type Listing = Pick<SourceMarket, 'productId' | 'decimals'>;

/** A writer that takes over asks for quotes of the last minute. */
const KEPT_MS = 60_000;
/** A source's time further ahead of ours than this is no time. */
const MOST_AHEAD_MS = 1_000;
/** A price whose time is further behind that of the one before is older, whatever its number. */
const MOST_BEHIND_MS = 1_000;
/** Numbers or times that stay below earlier ones for this long are of a venue that restarted: only a new connection tells what holds. */
const MOST_OLDER_MS = 2_000;
/** A market without a price for this long has none. */
const QUIET_MS = 30_000;

interface Known {
  /** Null: unknown, because the market's last frame had no price that can be taken. */
  readonly price: Points | null;
  readonly order: bigint | null;
  /** The venue's time of the price; null: it names none. */
  readonly venueMs: number | null;
  /** When the venue last said this price, log's time. */
  readonly saidMs: number;
  /** Since when frames of the market have been older than this one; null: the last one was not. */
  readonly olderSinceMs: number | null;
}

/**
 * The quotes of one source, by product: of each grid step the newest, for a minute. Ticks show them, and they decide nothing. The number of
 * a quote is the microsecond of its receipt: two processes that receive the same source have to agree on the order.
 */
export class QuoteBoard {
  readonly counts = new SourceCounts();
  readonly #source: string;
  readonly #listings: ReadonlyMap<string, Listing>;
  readonly #known = new Map<string, Known>();
  readonly #waiting = new Map<string, Quote[]>();
  readonly #last = new Map<string, Pick<Quote, 'sourceSeq' | 'sourceMs'>>();

  constructor(source: string, listings: ReadonlyMap<string, Listing>) {
    this.#source = source;
    this.#listings = listings;
  }

  /**
   * @param receivedMs the log's time
   * @returns false: a market's frames have been out of order for too long, and the caller makes a new connection
   */
  apply(events: readonly VenueEvent[], receivedMs: number): boolean {
    for (const event of events) {
      if ('sourceMs' in event) this.counts.clock(receivedMs, event.sourceMs);
      if (event.kind === 'price') this.#price(event, receivedMs);
      else if (event.kind === 'refused') this.counts.count('refused');
      else if (event.kind === 'reconnected') this.#begin();
      else if (event.kind === 'gap') {
        if (event.market !== null) this.counts.count('gaps');
        this.#forget(event.market);
      }
    }
    return !this.#known
      .values()
      .some(({ olderSinceMs }) => olderSinceMs !== null && receivedMs - olderSinceMs >= MOST_OLDER_MS);
  }

  /** The last prices of the last half minute that were not taken away, by product. */
  priced(nowMs: number): Map<number, Points> {
    return new Map(
      [...this.#known].flatMap(([market, { price, saidMs }]) =>
        price === null || nowMs - saidMs > QUIET_MS
          ? []
          : [[(this.#listings.get(market) as Listing).productId, price]],
      ),
    );
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
      this.counts.count('ignored');
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
    this.#add(market, { price, sourceMs, receivedMs });
  }

  #forget(market: string | null): void {
    for (const [name, known] of this.#known)
      if (market === null || name === market) this.#known.set(name, { ...known, price: null });
  }

  #begin(): void {
    this.#known.clear();
    for (const [market, last] of this.#last) this.#last.set(market, { ...last, sourceMs: 0 });
  }

  #add(market: string, said: Pick<Quote, 'price' | 'sourceMs' | 'receivedMs'>): void {
    const waiting = this.#waiting.get(market) ?? [];
    const last = this.#last.get(market) ?? { sourceSeq: 0n, sourceMs: 0 };
    const micros = BigInt(said.receivedMs) * 1_000n;
    const sourceSeq = micros > last.sourceSeq ? micros : last.sourceSeq + 1n;
    const sourceMs = Math.max(said.sourceMs, last.sourceMs);
    this.#last.set(market, { sourceSeq, sourceMs });
    // Of the quotes received within one step a price takes only the newest.
    if (stepOf(waiting.at(-1)?.receivedMs ?? 0) === stepOf(said.receivedMs)) waiting.pop();
    waiting.push({ source: this.#source, ...said, sourceMs, sourceSeq });
    while ((waiting[0]?.receivedMs ?? said.receivedMs) < said.receivedMs - KEPT_MS) waiting.shift();
    this.#waiting.set(market, waiting);
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
  // A later time with a lower number is of a venue whose numbers restarted.
  if (order !== null && before.order !== null) return order < before.order && (laterMs ?? 0) <= 0;
  return (laterMs ?? 0) < 0;
}
