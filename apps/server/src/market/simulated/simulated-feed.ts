import { GRID_MS, type KnownRecord, MIN_DELAY_MS, type ProductRules } from '@fairtick/trading';
import { CATALOGUE, type CatalogueProduct } from '../catalogue/catalogue.ts';
import type { Announcement, Arrival, Feed } from '../feeds/feed.ts';
import { licencesOf, productRules } from '../product-rules.ts';
import type { Product, Products } from '../products.ts';
import { createMarketModel, type MarketModel, SOURCES } from './market-model.ts';
import type { SeedBook } from './seed-book.ts';

/** How often a product ticks that is not busy. */
const IDLE_MS = 3_000;
const IDLE_CRYPTO_MS = 1_500;
const QUORUM = 2;

interface Paced {
  readonly id: number;
  readonly symbol: string;
  readonly idleMs: number;
  /** Offset of the product's ticks within its idle period, so that products do not all tick at once. */
  readonly offsetMs: number;
}

const LISTED: ReadonlyMap<string, CatalogueProduct> = new Map(
  CATALOGUE.map((product) => [product.symbol, product]),
);

/** The rules of a product of the catalogue with simulated prices. */
export function simulatedRules({ symbol, decimals }: Product): ProductRules | null {
  const listed = LISTED.get(symbol);
  if (!listed) return null;
  return productRules({
    symbol,
    decimals,
    sources: SOURCES,
    licences: licencesOf(SOURCES, 'simulated'),
    quorum: QUORUM,
    quietMs: listed.quietMs,
    waitMs: 0,
    outlierBps: listed.outlierBps,
    delayMs: MIN_DELAY_MS,
    schedule: listed.schedule,
  });
}

/** Prices from the market model: a function of time and of the day's secret, as quotes of three sources. */
export class SimulatedFeed implements Feed {
  readonly name = 'simulated';
  readonly model: MarketModel;
  readonly #seeds: SeedBook;
  readonly #paced: readonly Paced[];
  readonly #symbols: ReadonlyMap<number, string>;
  #busy: ReadonlySet<number> = new Set();
  readonly receivesSinceMs: number;
  #takenMs: number | null = null;

  /** @param options.sinceMs the log's time at the start of the process: no quote was received before */
  constructor(options: { products: Products; seeds: SeedBook; installedMs: number; sinceMs: number }) {
    const { products, seeds, installedMs } = options;
    this.receivesSinceMs = options.sinceMs;
    this.#seeds = seeds;
    this.model = createMarketModel({ products: CATALOGUE, seeds, installedMs });
    this.#paced = products.all
      .filter((product) => LISTED.has(product.symbol))
      .map((product) => {
        const idleMs = product.assetClass === 'crypto' ? IDLE_CRYPTO_MS : IDLE_MS;
        return {
          id: product.id,
          symbol: product.symbol,
          idleMs,
          offsetMs: (product.position * GRID_MS) % idleMs,
        };
      });
    this.#symbols = new Map(this.#paced.map(({ id, symbol }) => [id, symbol]));
  }

  rulesOf(product: Product): ProductRules | null {
    return simulatedRules(product);
  }

  take(timeMs: number): readonly Arrival[] {
    // After a stall only the newest quote of each source matters.
    const sinceMs = this.#takenMs ?? timeMs - IDLE_MS;
    this.#takenMs = timeMs;
    const arrivals: Arrival[] = [];
    for (const { id, symbol, idleMs, offsetMs } of this.#paced) {
      const paceMs = this.#busy.has(id) ? GRID_MS : idleMs;
      const slotMs = this.#busy.has(id) ? timeMs : timeMs - ((timeMs - offsetMs) % paceMs);
      if (slotMs <= sinceMs) continue;
      for (const { source, price, sourceMs, sourceSeq, arrivesMs } of this.model.quotesAt(symbol, slotMs)) {
        if (arrivesMs > timeMs) continue;
        const quote = { source, price, sourceMs, sourceSeq: BigInt(sourceSeq), receivedMs: arrivesMs };
        arrivals.push({ productId: id, quote });
      }
    }
    return arrivals;
  }

  recordsAt(productId: number, fixMs: number): readonly KnownRecord[] {
    const symbol = this.#symbols.get(productId);
    if (symbol === undefined) return [];
    return this.model.lastQuotes(symbol, fixMs).map(({ source, price, sourceMs, sourceSeq }) => ({
      source,
      last: { number: BigInt(sourceSeq), timeMs: sourceMs, price },
      closing: { by: 'said' },
    }));
  }

  setBusy(productIds: ReadonlySet<number>): void {
    this.#busy = productIds;
  }

  announcement(timeMs: number): Promise<Announcement | null> {
    return this.#seeds.announcement(timeMs);
  }
}
