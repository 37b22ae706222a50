import type { Config } from './config.ts';
import type { Pool } from './db/database.ts';
import type { Feed } from './market-data/feeds/feed.ts';
import { ReplayFeed } from './market-data/feeds/replay.ts';
import { SimulatedFeed } from './market-data/feeds/simulated.ts';
import type { Products } from './market-data/products.ts';
import { SeedBook } from './market-data/simulated/seed-book.ts';

/** Creates the feed that the settings name. */
export async function createFeed(
  config: Pick<Config, 'feed'>,
  { pool, products, begunMs }: { pool: Pool; products: Products; begunMs: number },
): Promise<Feed> {
  if (config.feed.kind === 'replay') {
    const { files, speed } = config.feed;
    const productOf = (symbol: string) => products.bySymbol(symbol);
    return ReplayFeed.fromFiles(files, { speed, productOf });
  }
  const seeds = new SeedBook(pool, begunMs);
  await seeds.load(Date.now());
  return new SimulatedFeed({ products, seeds, installedMs: begunMs });
}
