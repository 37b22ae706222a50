import type { Config } from './config.ts';
import type { Pool } from './db/database.ts';
import { SimulatedHistory } from './market-data/candles/history.ts';
import type { Feed } from './market-data/feeds/feed.ts';
import { ReplayFeed } from './market-data/feeds/replay.ts';
import { SimulatedFeed } from './market-data/feeds/simulated.ts';
import type { Products } from './market-data/products.ts';
import { SeedBook } from './market-data/simulated/seed-book.ts';

/** The source of prices that the settings name; with simulated ones comes the past that charts show. */
export async function createFeed(
  config: Config,
  { pool, products, begunMs }: { pool: Pool; products: Products; begunMs: number },
): Promise<{ feed: Feed; history: SimulatedHistory | null }> {
  if (config.feed.kind === 'replay') {
    const { files, speed } = config.feed;
    const productOf = (symbol: string) => products.bySymbol(symbol);
    return { feed: ReplayFeed.fromFiles(files, { speed, productOf }), history: null };
  }
  const seeds = new SeedBook(pool, begunMs);
  await seeds.load(Date.now());
  const feed = new SimulatedFeed({ products, seeds, installedMs: begunMs });
  const history = new SimulatedHistory(pool, feed.model, begunMs);
  await history.begin(products);
  return { feed, history };
}
