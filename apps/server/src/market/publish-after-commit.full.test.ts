import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { readMarks, storyOf } from '@fairtick/kit/installation/writers.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Listener } from '../platform/bus/listener.ts';
import { PostgresWire } from '../platform/bus/postgres-wire.ts';
import type { Client, Queryable } from '../platform/db/database.ts';
import { readCandles } from './candles/candle-queries.ts';
import { LiveCandle } from './candles/live-candles.ts';
import { LogFollower } from './log/log-follower.ts';
import { readLogHead } from './log/log-head.ts';
import { MarketView } from './market-view.ts';
import type { Product } from './products.ts';

const SILENT = pino({ level: 'silent' });

/** All consumers of prices in an API process. */
class Onlookers {
  readonly view: MarketView;
  readonly live: LiveCandle;
  readonly follower: LogFollower;
  readonly seen: number[] = [];
  readonly #house: House;
  readonly #product: Product;

  private constructor(house: House, product: Product, fromIndex: number, db: Queryable) {
    this.#house = house;
    this.#product = product;
    this.view = new MarketView(house.db.server, house.products, house.rules);
    this.live = new LiveCandle(product, '5m');
    this.follower = new LogFollower(db, house.reader, { fromIndex, log: SILENT });
    this.follower.onNews(({ entries }) => {
      for (const entry of entries) if (entry.productId === product.id) this.seen.push(entry.n);
      this.view.apply(entries);
      for (const entry of entries) if (entry.productId === product.id) this.live.add(entry);
    });
  }

  static async open(house: House, product: Product, db: Queryable = house.db.server): Promise<Onlookers> {
    const { size } = await readLogHead(house.db.server);
    const onlookers = new Onlookers(house, product, size, db);
    await onlookers.view.load();
    await onlookers.live.load(house.db.server);
    return onlookers;
  }

  /** Wakes the follower as a notification does, and returns the price that each consumer shows. */
  async look() {
    this.follower.wake();
    await this.follower.idle();
    const [candle] = await readCandles(this.#house.db.server, {
      product: this.#product,
      period: '5m',
      beforeMs: null,
      limit: 1,
    });
    const loaded = new MarketView(this.#house.db.server, this.#house.products, this.#house.rules);
    await loaded.load();
    return {
      view: this.view.get(this.#product.id).price,
      loaded: loaded.get(this.#product.id).price,
      live: this.live.current?.close,
      candle: candle?.close,
      size: (await readLogHead(this.#house.db.server)).size,
    };
  }
}

describe('a price that is not committed', () => {
  let eurusd: Product;
  let blocker: Client | null = null;

  const feed = forTest(() => new ManualFeed());
  const house = forTest(() => House.open(feed));
  beforeEach(async () => {
    eurusd = house.product('EUR/USD');
    feed.price(eurusd, '1.08400', house.clock.targetMs + 250);
    await house.stepBy(250);
  });
  afterEach(async () => {
    blocker?.release();
    blocker = null;
  });

  /**
   * Blocks the writer's next append at its end, with all its rows written: another transaction is inserting a checkpoint of the
   * size that the writer is about to sign.
   */
  async function blockCommit(newEntries: number): Promise<void> {
    const { size } = await readLogHead(house.db.server);
    blocker = await house.db.owner.connect();
    await blocker.query('begin');
    await blocker.query(`insert into log_checkpoints (size, root, time_ms, note) values ($1, '', 0, '')`, [
      size + newEntries,
    ]);
  }

  async function untilBlocked(): Promise<void> {
    await until(async () => {
      const { rows } = await house.db.owner.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
  }

  test('appears in no list, candle or stream', async () => {
    const onlookers = await Onlookers.open(house, eurusd);
    const before = await onlookers.look();
    expect(before).toMatchObject({ view: 108_400n, loaded: 108_400n, live: 108_400n, candle: 108_400n });

    // The ticks of five grid times.
    await blockCommit(5);
    feed.price(eurusd, '1.09999', START_MS + 1_400);
    const step = house.stepTo(START_MS + 1_500);
    await untilBlocked();
    expect(await onlookers.look()).toEqual(before);
    expect(onlookers.seen).toEqual([]);
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.08400']);

    await blocker?.query('rollback');
    await step;
    expect(await onlookers.look()).toEqual({
      view: 109_999n,
      loaded: 109_999n,
      live: 109_999n,
      candle: 109_999n,
      size: before.size + 5,
    });
    expect(onlookers.seen).toEqual([2, 3, 4, 5, 6]);
  });

  test('does not open a waiting order', async () => {
    const customer = await house.customer();
    await house.place([house.request(customer, { symbol: 'EUR/USD', amount: '100' })]);
    // The batch, and the ticks of five grid times.
    await blockCommit(6);
    feed.price(eurusd, '1.08500', START_MS + 1_400);
    const step = house.stepTo(START_MS + 1_500);
    await untilBlocked();
    await house.settle();
    expect(await house.balance(customer)).toEqual({ available: 9_900_000_000n, held: 100_000_000n });
    await blocker?.query('rollback');
    await step;
    await house.runTo(START_MS + 4_000);
    feed.price(eurusd, '1.08600', START_MS + 59_900);
    await house.stepTo(START_MS + 60_000);
    await house.runTo(START_MS + 63_000);
    expect(await house.settle()).toBe(1);
    const { rows } = await house.db.server.query('select open_price, settle_price from orders_and_results');
    expect(rows).toEqual([{ open_price: '108500', settle_price: '108600' }]);
  });

  test('blocks new orders soon: while the writer hangs, the house takes none', async () => {
    const customer = await house.customer();
    const buy = async () =>
      (await house.place([house.request(customer, { symbol: 'EUR/USD', amount: '10' })]))[0];
    expect(await buy()).toMatchObject({ kind: 'accepted' });
    await blockCommit(6);
    feed.price(eurusd, '1.09999', START_MS + 1_400);
    const step = house.stepTo(START_MS + 1_500);
    await untilBlocked();
    await until(async () => (await buy())?.kind === 'refused');
    expect(await buy()).toEqual({ kind: 'refused', code: 'PRICE_UNAVAILABLE' });
    await blocker?.query('rollback');
    await step;
    await house.stepBy(250);
    expect(await buy()).toMatchObject({ kind: 'accepted' });
  });

  test('is not announced to listeners', async () => {
    const heard: (number | null)[] = [];
    const listener = new Listener(new PostgresWire(house.db.serverAddress, SILENT), SILENT);
    listener.on('log', (size) => heard.push(size));
    await listener.start();
    heard.length = 0;
    // The ticks of five grid times.
    await blockCommit(5);
    feed.price(eurusd, '1.09999', START_MS + 1_400);
    const step = house.stepTo(START_MS + 1_500);
    await untilBlocked();
    expect(heard).toEqual([]);
    await blocker?.query('rollback');
    await step;
    await until(() => heard.length === 1);
    expect(heard).toEqual([house.session.size]);
    await listener.stop();
  });

  test('leaves no trace if its append fails', async () => {
    const onlookers = await Onlookers.open(house, eurusd);
    const before = await onlookers.look();
    const owner = await house.db.owner.connect();
    await owner.query('begin');
    await owner.query('update log_head set epoch = epoch + 1');
    feed.price(eurusd, '1.09999', START_MS + 1_400);
    const step = house.stepTo(START_MS + 1_500).then(
      () => 'written',
      () => 'refused',
    );
    await untilBlocked();
    await owner.query('commit');
    owner.release();
    expect(await step).toBe('refused');
    expect(await onlookers.look()).toEqual(before);
    expect(await readMarks(house, 'EUR/USD')).toHaveLength(1);
  });

  test('a follower shows every entry even if its read is interrupted', async () => {
    const breaking = breakable(house.db.server);
    const onlookers = await Onlookers.open(house, eurusd, breaking.db);
    for (const [place, price] of ['1.08401', '1.08402', '1.08403'].entries()) {
      feed.price(eurusd, price, house.clock.targetMs + 3_000);
      await house.stepBy(3_000);
      // The first statement of a look reads the entries, the second the head: the connection may break at either.
      breaking.failAt = place === 0 ? 2 : place === 1 ? 1 : 0;
      await onlookers.look();
    }
    breaking.failAt = 0;
    await onlookers.look();
    // A tick at each of twelve grid times, three times.
    expect(onlookers.seen).toEqual(Array.from({ length: 36 }, (_, at) => at + 2));
    expect(onlookers.live.current).toMatchObject({ close: 108_403n, volume: 4n });
  });
});

/** A connection that breaks at the `failAt`-th statement after `failAt` was set; 0 never breaks. */
function breakable(db: Queryable): { db: Queryable; failAt: number } {
  const breaking = { db, failAt: 0 };
  const query = (...args: unknown[]) => {
    if (breaking.failAt > 0) {
      breaking.failAt -= 1;
      if (breaking.failAt === 0) return Promise.reject(new Error('the connection was lost'));
    }
    return (db.query as (...all: unknown[]) => Promise<unknown>)(...args);
  };
  breaking.db = { query } as unknown as Queryable;
  return breaking;
}
