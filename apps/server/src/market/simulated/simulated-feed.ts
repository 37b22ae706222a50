import { GRID_MS, type KnownRecord, MIN_DELAY_MS, type ProductRules } from '@fairtick/trading';
import { modelledProduct } from '../catalogue/listing.ts';
import { HOURS } from '../catalogue/schedules.ts';
import type { Announcement, Arrival, Feed } from '../feeds/feed.ts';
import { licencesOf, productRules } from '../product-rules.ts';
import { hasEnded, type Product, type Products } from '../products.ts';
import { MarketModel } from './market-model.ts';
import type { SeedBook } from './seed-book.ts';
import { SOURCES } from './sources.ts';

/** How often a product ticks that is not busy. */
const IDLE_MS = 3_000;
const IDLE_CRYPTO_MS = 1_500;
const QUORUM = 2;

interface Paced {
  readonly symbol: string;
  readonly idleMs: number;
  /** Offset of the product's ticks within its idle period, so that products do not all tick at once. */
  readonly offsetMs: number;
}

/** The rules of a product with simulated prices; null: it has none. */
export function simulatedRules({ symbol, decimals, listing, payouts }: Product): ProductRules | null {
  if (!listing.model) return null;
  const { quietMs, outlierBps, hours } = listing;
  return productRules(
    {
      symbol,
      decimals,
      sources: SOURCES,
      licences: licencesOf(SOURCES, 'simulated'),
      quorum: QUORUM,
      quietMs,
      waitMs: 0,
      outlierBps,
      delayMs: MIN_DELAY_MS,
      schedule: HOURS[hours],
    },
    payouts,
  );
}

/** Prices from the market model: a function of time and of the day's secret, as quotes of three sources. */
export class SimulatedFeed implements Feed {
  readonly name = 'simulated';
  readonly model: MarketModel;
  readonly #seeds: SeedBook;
  readonly #products: Products;
  readonly #paced = new Map<number, Paced>();
  #busy: ReadonlySet<number> = new Set();
  readonly receivesSinceMs: number;
  #takenMs: number | null = null;

  /** @param options.sinceMs the log's time at the start of the process: no quote was received before */
  constructor(options: { products: Products; seeds: SeedBook; installedMs: number; sinceMs: number }) {
    const { products, seeds, installedMs } = options;
    this.receivesSinceMs = options.sinceMs;
    this.#seeds = seeds;
    this.model = new MarketModel({ products: [], seeds, installedMs });
    this.#products = products;
    this.adopt(options.sinceMs);
  }

  adopt(nowMs: number): void {
    for (const product of this.#products.all) {
      const { id, symbol, position } = product;
      const modelled = modelledProduct(product);
      if (!modelled || hasEnded(product, nowMs)) {
        this.#paced.delete(id);
      } else if (!this.#paced.has(id)) {
        this.model.add(modelled);
        const idleMs = product.assetClass === 'crypto' ? IDLE_CRYPTO_MS : IDLE_MS;
        this.#paced.set(id, { symbol, idleMs, offsetMs: (position * GRID_MS) % idleMs });
      }
    }
  }

  rulesOf(product: Product): ProductRules | null {
    return simulatedRules(product);
  }

  take(timeMs: number): readonly Arrival[] {
    // After a stall only the newest quote of each source matters.
    const sinceMs = this.#takenMs ?? timeMs - IDLE_MS;
    this.#takenMs = timeMs;
    const arrivals: Arrival[] = [];
    for (const [id, { symbol, idleMs, offsetMs }] of this.#paced) {
      const slotMs = this.#busy.has(id) ? timeMs : timeMs - ((timeMs - offsetMs) % idleMs);
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
    const paced = this.#paced.get(productId);
    if (!paced) return [];
    return this.model.lastQuotes(paced.symbol, fixMs).map(({ source, price, sourceMs, sourceSeq }) => ({
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
