import { points } from '@fairtick/money';
import type { ProductRules } from '@fairtick/trading';
import type { Arrival } from '../../../apps/server/src/market/feeds/feed.ts';
import { ManualFeed } from './manual-feed.ts';

/** One source's quote, valid or not. */
export interface Said {
  readonly source: string;
  readonly price: bigint;
  readonly sourceMs: number;
  readonly sourceSeq: bigint;
  readonly receivedMs: number;
}

export const SOURCES = ['a', 'b', 'c'] as const;

/** Passes on any quotes of a test at the next step, unchecked. */
export class RawFeed extends ManualFeed {
  #next: { readonly productId: number; readonly said: Said; readonly atMs: number }[] = [];

  /** Uses the rules of every product: each fault has a product of its own. */
  constructor(changes: Partial<ProductRules> = {}) {
    super(changes, 'manual', null);
  }

  /** @param atMs the writer gets these quotes at this grid time, whatever times they state; 0: at the next one */
  say(productId: number, all: readonly Said[], atMs = 0): void {
    for (const said of all) {
      this.#next.push({ productId, said, atMs });
      if (isRecord(said)) this.keep(productId, { ...said, price: points(said.price) });
    }
  }

  override take(timeMs: number): readonly Arrival[] {
    const due = this.#next.filter(({ atMs }) => atMs <= timeMs);
    this.#next = this.#next.filter(({ atMs }) => atMs > timeMs);
    return due.map(({ productId, said }) => ({ productId, quote: { ...said, price: points(said.price) } }));
  }
}

/** Whether a source can have this on record. */
const isRecord = ({ price, sourceMs, sourceSeq }: Said): boolean =>
  price > 0n && price < 10n ** 17n && Number.isInteger(sourceMs) && sourceMs >= 0 && sourceSeq >= 0n;

type ReferenceRules = Pick<ProductRules, 'quietMs' | 'outlierBps' | 'quorum'>;

/**
 * Expected prices, computed a second time from the rules alone: the median of the fresh quotes without outliers, no price below
 * the quorum, invalid quotes ignored.
 */
export class PriceReference {
  readonly story: string[] = [];
  /** The newest valid quote of each source. */
  readonly #newest = new Map<string, Said>();
  readonly #rules: ReferenceRules;
  readonly #decimals: number;
  #tickMs = 0;
  #isStopped = false;

  constructor(rules: ReferenceRules, decimals: number) {
    this.#rules = rules;
    this.#decimals = decimals;
  }

  /**
   * @param isBusy whether the product has an unsettled order: then every grid time with a price has a tick
   * @param isAlone whether no other product has an entry at this time: then this one has a tick while it has a price
   */
  step(timeMs: number, said: readonly Said[], { isBusy = false, isAlone = false } = {}): void {
    const arrived = said.filter((quote) => this.#keep(timeMs, quote)).length > 0;
    const fresh = [...this.#newest.values()].filter(
      (quote) =>
        timeMs - quote.sourceMs <= this.#rules.quietMs && timeMs - quote.receivedMs <= this.#rules.quietMs,
    );
    const middle = fresh.length === 0 ? 0n : median(fresh);
    const used = fresh.filter(({ price }) => {
      const apart = price > middle ? price - middle : middle - price;
      return apart * 10_000n <= middle * BigInt(this.#rules.outlierBps);
    });
    const hasPrice = this.#tickMs > 0 && !this.#isStopped;
    if (!arrived && !hasPrice) return;
    if (used.length < this.#rules.quorum) {
      if (hasPrice) this.story.push('gap quorum');
      this.#isStopped = this.#tickMs > 0;
      return;
    }
    if (!arrived && !isBusy && !isAlone && timeMs - this.#tickMs < 5_000) return;
    this.#tickMs = timeMs;
    this.#isStopped = false;
    this.story.push(`tick ${this.#written(median(used))}`);
  }

  /** Keeps the quote as the log may list it, if it is of a named source, well-formed, and newer in every respect. */
  #keep(timeMs: number, quote: Said): boolean {
    const before = this.#newest.get(quote.source);
    const isQuote =
      quote.price > 0n &&
      quote.receivedMs <= timeMs &&
      quote.sourceMs <= quote.receivedMs + 5_000 &&
      (SOURCES as readonly string[]).includes(quote.source);
    const isSane = Number.isInteger(quote.sourceMs) && quote.sourceMs >= 0 && quote.sourceSeq >= 0n;
    if (!isQuote || !isSane || quote.price >= 10n ** 17n) return false;
    if (before && (quote.sourceSeq <= before.sourceSeq || quote.sourceMs < before.sourceMs)) return false;
    const receivedMs = Math.max(quote.receivedMs, before?.receivedMs ?? 0);
    this.#newest.set(quote.source, { ...quote, receivedMs });
    return true;
  }

  #written(price: bigint): string {
    const digits = String(price).padStart(this.#decimals + 1, '0');
    const point = digits.length - this.#decimals;
    return this.#decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  }
}

/** For an even count, the mean of the middle two, rounded down. */
function median(quotes: readonly Said[]): bigint {
  const prices = quotes.map(({ price }) => price).sort((a, b) => Number(a - b));
  return ((prices[(prices.length - 1) >> 1] as bigint) + (prices[prices.length >> 1] as bigint)) / 2n;
}

export const FAULTS = [
  'down',
  'stale',
  'frozen',
  'half as much again',
  'zero',
  'negative',
  'repeated',
  'out of order',
  'received in the future',
  'from the future',
  'not a time',
  'before all times',
  'without an end',
] as const;
export type Fault = (typeof FAULTS)[number];

/** The quotes of a faulty source, from the quote that it would have given. */
export function spoil(fault: Fault, quote: Said, before: Said | undefined): Said[] {
  switch (fault) {
    case 'down':
      return [];
    case 'stale':
      return [{ ...quote, sourceMs: quote.sourceMs - 5_000 }];
    case 'frozen':
      return before ? [{ ...before, receivedMs: quote.receivedMs }] : [];
    case 'half as much again':
      return [{ ...quote, price: (quote.price * 3n) / 2n }];
    case 'zero':
      return [{ ...quote, price: 0n }];
    case 'negative':
      return [{ ...quote, price: -quote.price }];
    case 'repeated':
      return [quote, quote, { ...quote, price: quote.price + 50n }];
    case 'out of order':
      return [quote, { ...quote, price: quote.price + 50n, sourceSeq: quote.sourceSeq - 1n }];
    case 'received in the future':
      return [{ ...quote, receivedMs: quote.receivedMs + 60_000 }];
    case 'from the future':
      return [{ ...quote, sourceMs: quote.sourceMs + 60_000 }];
    case 'not a time':
      return [
        { ...quote, sourceMs: Number.NaN },
        { ...quote, sourceMs: quote.sourceMs + 0.5 },
      ];
    case 'before all times':
      return [
        { ...quote, sourceMs: -1 },
        { ...quote, sourceSeq: -1n },
      ];
    case 'without an end':
      return [{ ...quote, price: 10n ** 30n }];
  }
}

/** One quote of each source at a time, each a point above the one before; spoilt as the faults say. */
export function sayAll(
  at: { timeMs: number; middle: bigint },
  faults: ReadonlyMap<string, Fault>,
  last: Map<string, Said>,
): Said[] {
  return SOURCES.flatMap((source, place) => {
    const quote: Said = {
      source,
      price: at.middle + BigInt(place),
      sourceMs: at.timeMs - 120,
      sourceSeq: BigInt(Math.floor(at.timeMs / 250)),
      receivedMs: at.timeMs - 20 * (place + 1),
    };
    const fault = faults.get(source);
    const said = fault ? spoil(fault, quote, last.get(source)) : [quote];
    if (fault !== 'frozen') last.set(source, quote);
    return said;
  });
}
