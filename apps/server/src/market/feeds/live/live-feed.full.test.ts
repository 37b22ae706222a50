import { setTimeout as sleep } from 'node:timers/promises';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import type { Exchange } from '@fairtick/kit/venues/public-record.ts';
import { VenueMarket } from '@fairtick/kit/venues/venue-market.ts';
import { seen, until } from '@fairtick/kit/waiting/until.ts';
import type { KnownRecord } from '@fairtick/trading';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { Pool } from '../../../platform/db/database.ts';
import { CATALOGUE } from '../../catalogue/catalogue.ts';
import type { Product, Products } from '../../products.ts';
import { askMarkets, unfitSource } from './ask-markets.ts';
import { LiveFeed } from './live-feed.ts';
import { LIVE_SOURCES } from './live-products.ts';
import { programListing } from './program-listing.ts';
import { readSourcesFile } from './sources-file.ts';

const all = CATALOGUE.map(
  (product, id) =>
    ({ ...product, id, listing: programListing(product), closesOn: null }) as unknown as Product,
);
const BTC = all.find(({ symbol }) => symbol === 'BTC/USDT') as Product;
const SOURCES = LIVE_SOURCES['BTC/USDT'] as readonly Exchange[];
/** The log's time is the clock's. */
const pool = { query: async () => ({ rows: [{ now: String(Date.now()) }] }) } as unknown as Pool;

class Running {
  readonly market: VenueMarket;
  feed: LiveFeed;

  private constructor(market: VenueMarket, feed: LiveFeed) {
    this.market = market;
    this.feed = feed;
  }

  static async open(): Promise<Running> {
    const market = await VenueMarket.open({ vendors: ['pyth', 'tiingo'] });
    return new Running(market, await start(market));
  }

  async restart(): Promise<void> {
    await this.feed.stop();
    this.feed = await start(this.market);
  }

  async close(): Promise<void> {
    await this.feed.stop();
    await this.market.close();
  }

  /** All records at a time, once each is closed. */
  closed(fixMs: number): Promise<readonly KnownRecord[]> {
    return seen(() => {
      const known = this.feed.recordsAt(BTC.id, fixMs);
      const isClosed = known.every((one) => 'last' in one && one.closing.by !== 'open');
      return isClosed && known.length > 0 && (known as readonly KnownRecord[]);
    });
  }

  /** The venue's own last number at a time. */
  lastOf(source: Exchange, fixMs: number): bigint | undefined {
    const trades = this.market.records.get(source)?.trades() ?? [];
    return trades.findLast(({ timeMs }) => timeMs <= fixMs)?.number;
  }

  async expectTruth(fixMs: number): Promise<void> {
    const records = await this.closed(fixMs);
    expect(records.map(({ source, last }) => [source, last.number])).toEqual(
      SOURCES.map((source) => [source, this.lastOf(source, fixMs)]),
    );
  }
}

const start = (market: VenueMarket, products = { all }): Promise<LiveFeed> =>
  LiveFeed.start({
    pool,
    products: products as unknown as Products,
    file: readSourcesFile(market.file),
    mode: 'demo',
    log: pino({ level: 'silent' }),
  });

const wholeSecond = () => Math.floor(Date.now() / 1_000) * 1_000;

describe('the records of a live feed', () => {
  const running = forTest(Running.open);

  test('are those of every source within a second, and after cuts what they would have been', async () => {
    const { market } = running;
    await until(() => running.feed.take(Date.now()).length > 0);
    await sleep(2_000);
    const fixMs = wholeSecond();
    await running.expectTruth(fixMs);
    expect(Date.now() - fixMs).toBeLessThan(3_000);
    market.break('okx', 'kraken');
    await sleep(3_000);
    const cutMs = wholeSecond();
    market.heal();
    await running.expectTruth(cutMs);
    await running.expectTruth(cutMs - 1_000);
    await running.restart();
    await running.expectTruth(cutMs);
    await running.expectTruth(fixMs);
  });

  test('of Pyth are signed, and what they would have been after a restart', async () => {
    const product = all.find(({ symbol }) => symbol === 'EUR/USD') as Product;
    const closed = (fixMs: number) =>
      seen(() => {
        const [known] = running.feed.recordsAt(product.id, fixMs);
        return known && 'last' in known && known.closing.by === 'next' && known;
      });
    await sleep(3_000);
    const fixMs = wholeSecond() - 1_000;
    const before = await closed(fixMs);
    expect(before).toMatchObject({ source: 'pyth', last: { number: BigInt(fixMs / 1_000), timeMs: fixMs } });
    await running.restart();
    expect(await closed(fixMs)).toEqual(before);
    expect(running.feed.signedUpdate(product.id, before.last.number)?.length).toBeGreaterThan(300);
  });

  test('a product that was added begins, and one that ended goes, while the others’ prices go on', async () => {
    const { market } = running;
    await running.feed.stop();
    const EUR = all.find(({ symbol }) => symbol === 'EUR/USD') as Product;
    const products = { all: all.filter((product) => product !== BTC) };
    running.feed = await start(market, products);
    const pricedBy = (product: Product) =>
      seen(() => {
        const arrived = running.feed.take(Date.now()).filter(({ productId }) => productId === product.id);
        return arrived.length > 0 && arrived;
      });
    await pricedBy(EUR);
    expect(running.feed.rulesOf(BTC)).toBeNull();
    expect(await askMarkets(BTC, readSourcesFile(market.file)).then(unfitSource)).toBeNull();
    products.all = all;
    running.feed.adopt(Date.now());
    await pricedBy(BTC);
    await pricedBy(EUR);
    await running.expectTruth(wholeSecond());
    expect(running.feed.rulesOf(BTC)?.sources).toEqual(SOURCES);
    products.all = all.map((product) => (product === BTC ? { ...BTC, closesOn: '2026-01-01' } : product));
    running.feed.adopt(Date.now());
    expect(running.feed.recordsAt(BTC.id, wholeSecond())).toEqual([]);
    await pricedBy(EUR);
  });

  test('a stream that is silent about one market is replaced', async () => {
    const venue = running.market.venues.get('okx');
    await until(() => running.feed.take(Date.now()).some(({ quote }) => quote.source === 'okx'));
    running.market.mute('okx');
    await until(() => venue?.opened === 2);
  });

  test('a product without sources that settle has no records', () => {
    const index = all.find(({ symbol }) => symbol === 'SPX500') as Product;
    expect(running.feed.recordsAt(index.id, wholeSecond())).toEqual([]);
    expect(running.feed.recordsAt(9_999, wholeSecond())).toEqual([]);
  });
});
