import type pg from 'pg';
import type { Logger } from 'pino';
import type { NewsFeedSetting } from '../../config/news-feeds.ts';
import { alone } from '../../platform/db/alone.ts';
import { call } from '../../platform/db/call.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';
import { WorkThread } from '../../platform/threads/work-thread.ts';
import type { NewsWork } from '../news-worker.ts';
import type { NewsFeedEntry, ReadNewsFeed } from './read-news-feed.ts';

const EVERY_MS = 15 * 60_000;
const BOUNDS = { timeMs: 10_000, maxBytes: 4 * 1024 * 1024 } as const;
const TIME_MS = 20_000;
const LOCK = 7032;

/** Each entry is stored in its own transaction under its keys, so that an import that breaks off adds nothing twice. */
export class NewsImporter extends RecurringJob {
  readonly #address: pg.ClientConfig;
  readonly #feeds: readonly NewsFeedSetting[];
  readonly #thread = new WorkThread<NewsWork>(new URL('../news-worker.ts', import.meta.url), {
    timeMs: TIME_MS,
  });

  constructor(parts: { address: pg.ClientConfig; feeds: readonly NewsFeedSetting[]; log: Logger }) {
    super(parts.log, { everyMs: EVERY_MS, complaint: 'news could not be taken in' });
    this.#address = parts.address;
    this.#feeds = parts.feeds;
  }

  static start(address: pg.ClientConfig, feeds: readonly NewsFeedSetting[], log: Logger): NewsImporter {
    const importer = new NewsImporter({ address, feeds, log });
    if (feeds.length > 0) importer.start();
    return importer;
  }

  async run(): Promise<number | null> {
    return alone({ ...this.#address, application_name: 'fairtick news' }, LOCK, async (client) => {
      let count = 0;
      for (const feed of this.#feeds) {
        if (this.isStopped) break;
        count += await this.#takeIn(client, feed);
      }
      return count;
    }).finally(() => this.#thread.stop());
  }

  async #takeIn(client: pg.Client, feed: NewsFeedSetting): Promise<number> {
    const read = await this.#read(feed);
    let count = 0;
    for (const entry of read?.entries ?? []) {
      if (this.isStopped) break;
      if (await importEntry(client, feed, read?.source ?? '', entry)) count += 1;
    }
    return count;
  }

  /** Null: the feed is unreachable or broken, which does not stop other feeds. */
  async #read({ url, zone }: NewsFeedSetting): Promise<ReadNewsFeed | null> {
    try {
      return await this.#thread.run('feed', url.href, zone, BOUNDS);
    } catch (error) {
      this.log.warn({ feed: url.host, err: error }, 'a feed could not be read');
      return null;
    }
  }
}

async function importEntry(
  client: pg.Client,
  { url, language, category }: NewsFeedSetting,
  source: string,
  { keys, title, summary, body, link, timeMs }: NewsFeedEntry,
): Promise<boolean> {
  const id = await call<string | null>(client, 'news_import', {
    newsFeed: url.href.slice(0, 500),
    keys,
    version: { category, source, sourceUrl: link },
    text: { language, title, summary, body },
    at: timeMs === null ? null : new Date(timeMs),
  });
  return id !== null;
}
