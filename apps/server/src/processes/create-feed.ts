import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Feed } from '../market/feeds/feed.ts';
import { endingCalendars } from '../market/feeds/live/calendar-ends.ts';
import { LiveFeed } from '../market/feeds/live/live-feed.ts';
import { readSourcesFile } from '../market/feeds/live/sources-file.ts';
import { RecordedFeed } from '../market/feeds/recorded-feed.ts';
import type { Products } from '../market/products.ts';
import { SeedBook } from '../market/simulated/seed-book.ts';
import { SimulatedFeed } from '../market/simulated/simulated-feed.ts';
import type { Pool } from '../platform/db/database.ts';
import { KeyRing } from '../platform/sealing/key-ring.ts';

export async function createFeed(
  config: Pick<Config, 'feed' | 'mode' | 'encryptionKeyFile'>,
  { pool, products, begunMs, log }: { pool: Pool; products: Products; begunMs: number; log: Logger },
): Promise<Feed> {
  switch (config.feed.kind) {
    case 'replay': {
      const { files, speed } = config.feed;
      const productOf = (symbol: string) => products.bySymbol(symbol);
      const onRead = (symbol: string, description: string) =>
        log.info({ symbol, recording: description }, 'a recording was read');
      return RecordedFeed.fromFiles(files, { speed, productOf, onRead });
    }
    case 'live': {
      const file = readSourcesFile(config.feed.sourcesFile);
      const feed = await LiveFeed.start({ pool, products, file, mode: config.mode, log });
      const priced = products.all.filter((product) => feed.rulesOf(product) !== null);
      for (const { market, until } of endingCalendars(priced, Date.now()))
        log.warn(
          { market, until },
          'the holidays of a market are known up to this date; its products close then',
        );
      return feed;
    }
    case 'simulated': {
      const keys = await KeyRing.load(pool, config.encryptionKeyFile, { mayMake: config.mode === 'demo' });
      const seeds = new SeedBook(pool, keys, begunMs);
      await seeds.load(Date.now());
      const { rows } = await pool.query<{ now: string }>('select log_now() as now');
      return new SimulatedFeed({ products, seeds, installedMs: begunMs, sinceMs: Number(rows[0]?.now) });
    }
  }
}
