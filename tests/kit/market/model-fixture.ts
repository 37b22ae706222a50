import { createHash } from 'node:crypto';
import { CATALOGUE } from '../../../apps/server/src/market/catalogue/catalogue.ts';
import type { CatalogueProduct } from '../../../apps/server/src/market/catalogue/catalogue-product.ts';
import { MarketModel } from '../../../apps/server/src/market/simulated/market-model.ts';
import type { SeedSource } from '../../../apps/server/src/market/simulated/walk.ts';

/** Shared fixture of the model's tests: secrets derived from the date alone, and an installation on a Wednesday. */
export const INSTALLED_MS = Date.UTC(2026, 10, 18, 15, 7, 3, 211);
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

const secrets = new Map<string, Uint8Array>();

export const SEEDS: SeedSource = {
  seedOf(date) {
    let secret = secrets.get(date);
    if (!secret) {
      secret = createHash('sha256').update(`a secret of ${date}`).digest();
      secrets.set(date, secret);
    }
    return secret;
  },
};

export function testModel(seeds: SeedSource = SEEDS): MarketModel {
  return new MarketModel({ products: CATALOGUE, seeds, installedMs: INSTALLED_MS });
}

export function productOf(symbol: string): CatalogueProduct {
  const product = CATALOGUE.find((each) => each.symbol === symbol);
  if (!product) throw new Error(`no product ${symbol}`);
  return product;
}

/** Numbers in [0, 1) that are the same in every run. */
export function repeatable(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
