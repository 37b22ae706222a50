import { parsePrice, points } from '@fairtick/money';
import {
  type AbsentRecord,
  type KnownRecord,
  MIN_DELAY_MS,
  type ProductRules,
  type Quote,
  ROUND_THE_CLOCK,
} from '@fairtick/trading';
import type { Arrival, Feed } from '../../../apps/server/src/market/feeds/feed.ts';
import { licencesOf, productRules } from '../../../apps/server/src/market/product-rules.ts';
import type { Product } from '../../../apps/server/src/market/products.ts';

/** The products that tests trade. Loading the rules of all 148 would add half a second to each installation's start. */
const TRADED: ReadonlySet<string> = new Set([
  ...['EUR/USD', 'GBP/USD', 'USD/JPY', 'AUD/USD', 'NZD/USD', 'USD/TRY', 'EUR/JPY', 'GBP/JPY', 'GBP/NZD'],
  ...['XAU/USD', 'BTC/USDT', 'ETH/USDT'],
]);

/** A feed that a test drives: three sources, quorum two, the shortest delay, every price current by default. */
export class ManualFeed implements Feed {
  readonly name: string;
  readonly #changes: Partial<ProductRules>;
  #arrivals: Arrival[] = [];
  /** All quotes, which are the sources' records too. */
  readonly #said = new Map<number, Quote[]>();
  #sequence = 0n;
  readonly #symbols: ReadonlySet<string> | null;
  /** A test that starts another process sets it: that one has received nothing before. */
  receivesSinceMs: number | null = 0;
  readonly stops = new Map<number, 'end' | 'halt'>();
  /** Sources that are to be left out (true), or that can be asked again (false). */
  readonly reach = new Map<string, boolean>();
  /** Of these sources nothing shows that a record is the last one. */
  readonly open = new Set<string>();

  /** @param symbols of the products that have rules; null: all of them */
  constructor(
    changes: Partial<ProductRules> = {},
    name = 'manual',
    symbols: ReadonlySet<string> | null = TRADED,
  ) {
    this.#symbols = symbols;
    this.name = name;
    this.#changes = changes;
  }

  rulesOf(product: Product): ProductRules | null {
    if (this.#symbols?.has(product.symbol) === false) return null;
    const rules = productRules({
      symbol: product.symbol,
      decimals: product.decimals,
      sources: ['a', 'b', 'c'],
      licences: {},
      quorum: 2,
      quietMs: 5_000,
      waitMs: 0,
      outlierBps: 100,
      delayMs: MIN_DELAY_MS,
      schedule: ROUND_THE_CLOCK,
    });
    const sources = this.#changes.sources ?? rules.sources;
    return { ...rules, licences: licencesOf(sources, 'simulated'), ...this.#changes };
  }

  /** Adds a quote of one source, received at `receivedMs`. */
  quote(product: Product, source: string, price: string, receivedMs: number, sourceMs = receivedMs): void {
    const points = parsePrice(price, product.decimals);
    if (points === null) throw new Error(`${price} is no price of ${product.symbol}`);
    // A source goes on numbering its quotes when a writer begins again with another feed.
    const next = this.#sequence + 1n;
    this.#sequence = BigInt(receivedMs) > next ? BigInt(receivedMs) : next;
    const quote = { source, price: points, sourceMs, sourceSeq: this.#sequence, receivedMs };
    this.#arrivals.push({ productId: product.id, quote });
    this.keep(product.id, quote);
  }

  /** Keeps a quote as a record of its source. */
  protected keep(productId: number, quote: Quote): void {
    const said = this.#said.get(productId);
    if (said) said.push(quote);
    else this.#said.set(productId, [quote]);
  }

  recordsAt(productId: number, fixMs: number): readonly (KnownRecord | AbsentRecord)[] {
    const said = this.#said.get(productId) ?? [];
    const last = new Map(
      said.filter(({ sourceMs }) => sourceMs <= fixMs).map((quote) => [quote.source, quote]),
    );
    return [...last.values()].map(({ source, sourceSeq, sourceMs, price }) => ({
      source,
      last: { number: sourceSeq, timeMs: sourceMs, price },
      closing: { by: this.open.has(source) ? 'open' : 'said' },
    }));
  }

  /** Adds the same price of all three sources. */
  price(product: Product, price: string, receivedMs: number): void {
    for (const source of ['a', 'b', 'c']) this.quote(product, source, price, receivedMs);
  }

  take(timeMs: number): readonly Arrival[] {
    const due = this.#arrivals.filter(({ quote }) => quote.receivedMs <= timeMs);
    this.#arrivals = this.#arrivals.filter(({ quote }) => quote.receivedMs > timeMs);
    return due;
  }

  stopped(): ReadonlyMap<number, 'end' | 'halt'> {
    return this.stops;
  }

  away(): ReadonlyMap<string, boolean> {
    return this.reach;
  }
}

/** A feed for writers that run by themselves: a new price of one product at every step, unless it is silenced. */
export class SteadyFeed implements Feed {
  readonly name = 'manual';
  readonly #product: Product;
  readonly #rules: ManualFeed;
  readonly receivesSinceMs = 0;
  #count = 0n;
  isSilent = false;

  constructor(product: Product, changes: Partial<ProductRules> = {}) {
    this.#product = product;
    this.#rules = new ManualFeed(changes);
  }

  rulesOf(product: Product): ProductRules | null {
    return this.#rules.rulesOf(product);
  }

  take(timeMs: number): readonly Arrival[] {
    if (this.isSilent) return [];
    this.#count += 1n;
    return ['a', 'b', 'c'].map((source) => ({
      productId: this.#product.id,
      quote: {
        source,
        price: points(108_000n + (this.#count % 100n)),
        sourceMs: timeMs,
        sourceSeq: this.#count,
        receivedMs: timeMs,
      },
    }));
  }

  recordsAt(productId: number, fixMs: number): readonly KnownRecord[] {
    if (productId !== this.#product.id) return [];
    const last = {
      number: BigInt(fixMs),
      timeMs: fixMs,
      price: points(108_000n + BigInt((fixMs / 1_000) % 100)),
    };
    return ['a', 'b', 'c'].map((source) => ({ source, last, closing: { by: 'said' } }));
  }
}
