import { SimulatedFeed } from '../../../apps/server/src/market-data/feeds/simulated.ts';
import type { LogSession } from '../../../apps/server/src/market-data/log/log-session.ts';
import { SeedBook } from '../../../apps/server/src/market-data/simulated/seed-book.ts';
import type { House } from './house.ts';
import { openWriter } from './writers.ts';

/** A writer of the simulated market on a house's log, with the secrets that the house's database keeps. */
export async function openSimulatedWriter(
  house: House,
  installedMs: number,
): Promise<{ writer: LogSession; feed: SimulatedFeed; seeds: SeedBook }> {
  const seeds = new SeedBook(house.db.server, installedMs);
  await seeds.load(installedMs);
  const feed = new SimulatedFeed({ products: house.products, seeds, installedMs });
  return { writer: await openWriter(house, feed), feed, seeds };
}
