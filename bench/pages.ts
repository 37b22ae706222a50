import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UTC_DAYS } from '@fairtick/trading';
import type pg from 'pg';
import { readCandles } from '../apps/server/src/market/candles/candle-queries.ts';
import { LogReader } from '../apps/server/src/market/log/log-reader.ts';
import { MarketView } from '../apps/server/src/market/market-view.ts';
import { Products } from '../apps/server/src/market/products.ts';
import { RuleBook } from '../apps/server/src/market/rule-book.ts';
import { readTickLine } from '../apps/server/src/market/tick-line.ts';
import { readFundLog } from '../apps/server/src/money/fund-log/fund-log.ts';
import { Assets } from '../apps/server/src/platform/assets.ts';
import { createPool, openDatabase, type Pool } from '../apps/server/src/platform/db/database.ts';
import { startEmbedded } from '../apps/server/src/platform/db/embedded.ts';
import {
  findOrders,
  latestTrades,
  listOrders,
  type OrderQueryParts,
} from '../apps/server/src/trading/orders/order-queries.ts';
import { BatchBook } from '../apps/server/src/trading/placement/batch-book.ts';
import { FILLING, fill, NOW_MS } from './kit/fill.ts';
import { median, percentile, printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * Pages of a large installation against the same pages of one a hundredth its size, in turn: lists, details, candles, trades,
 * the fund log and the log's files, by the functions that answer the API. Fills both databases first, which takes a while.
 *   npm run bench -- pages [ORDERS TICKS]
 */
const [ORDERS = sized(10_000_000, 25_000), TICKS = sized(50_000_000, 500_000)] = process.argv
  .slice(2)
  .map(Number);
const PART = sized(100, 5);
const CALLS = sized(250, 5);
const WARM_UP = sized(40, 1);
const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-bench-pages-'));
try {
  const sizes = {
    small: { orders: ORDERS / PART, ticks: TICKS / PART },
    large: { orders: ORDERS, ticks: TICKS },
  };
  const filling = await startEmbedded(dataDir, () => {}, FILLING);
  const base = await openDatabase({ databaseUrl: null, dataDir, backupDir: null }, () => {});
  for (const [name, size] of Object.entries(sizes)) {
    const startMs = performance.now();
    await fill(base.admin, name, { ...size, dataDir });
    console.log(`${name}: filled in ${Math.round((performance.now() - startMs) / 1000)} s`);
  }
  await filling.stop();
  const running = await openDatabase({ databaseUrl: null, dataDir, backupDir: null }, () => {});
  try {
    await compare(running.server);
  } finally {
    await running.embedded?.stop();
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

/** The calls that are measured on an installation; each call uses another customer, product or place. */
interface Pages {
  readonly pool: Pool;
  readonly calls: Readonly<Record<string, (call: number) => Promise<unknown>>>;
}

async function compare(address: pg.ClientConfig): Promise<void> {
  const small = await openPages({ ...address, database: 'small' }, ORDERS / PART, TICKS / PART);
  const large = await openPages({ ...address, database: 'large' }, ORDERS, TICKS);
  const rows: string[][] = [];
  for (const name of Object.keys(small.calls)) {
    const times: Record<'small' | 'large', number[]> = { small: [], large: [] };
    for (let call = 0; call < CALLS + WARM_UP; call += 1) {
      for (const [size, pages] of [['small', small] as const, ['large', large] as const]) {
        const startMs = performance.now();
        await pages.calls[name]?.(call);
        if (call >= WARM_UP) times[size].push(performance.now() - startMs);
      }
    }
    const figures = [median, (values: number[]) => percentile(values, 0.95)].flatMap((figure) => {
      const [before, after] = [figure(times.small), figure(times.large)];
      return [before.toFixed(2), after.toFixed(2), (after / before).toFixed(2)];
    });
    rows.push([name, ...figures]);
  }
  printTable(['page', 'p50 small ms', 'p50 large ms', '×', 'p95 small ms', 'p95 large ms', '×'], rows);
  await small.pool.end();
  await large.pool.end();
}

async function openPages(address: pg.ClientConfig, orders: number, ticks: number): Promise<Pages> {
  const pool = createPool(address, { max: 4, name: 'bench' });
  const [assets, products] = [await Assets.load(pool), await Products.load(pool)];
  const rules = new RuleBook(pool);
  const market = new MarketView(pool, products, rules);
  await market.load();
  const reader = new LogReader(pool, products, rules);
  // Each call reads batches without a cache: a small installation's would all fit, and the comparison is of stored data.
  const fresh = (): OrderQueryParts => ({
    db: pool,
    assets,
    products,
    rules,
    reader,
    market,
    batches: new BatchBook(pool),
  });
  // Spread over the whole range, by the same sequence at both sizes.
  const scattered = (call: number, count: number) => Math.floor(((call * 0.618_033_988_7) % 1) * count);
  const customer = (call: number) => String(1001 + scattered(call, orders / 100 - 1));
  const product = (call: number) => products.all[scattered(call, products.all.length)]?.id as number;
  const heavy = '1000';
  const funds = { limit: 20 };
  const known = await knownOrders(pool);
  const cursor = (call: number) => Number(known[scattered(call, known.length)]?.id);
  return {
    pool,
    calls: {
      'orders, newest 20': (call) => listOrders(fresh(), { customerId: customer(call), limit: 21 }),
      'orders, next 20': (call) =>
        listOrders(fresh(), { customerId: customer(call), limit: 21, beforeId: cursor(call) }),
      'orders of the busiest customer': () => listOrders(fresh(), { customerId: heavy, limit: 21 }),
      'unsettled orders': (call) =>
        listOrders(fresh(), { customerId: customer(call), isSettled: false, limit: 21 }),
      'unsettled orders of the busiest': () =>
        listOrders(fresh(), { customerId: heavy, isSettled: false, limit: 21 }),
      'one order': (call) => {
        const order = known[scattered(call, known.length)] as { id: string; customer_id: string };
        return findOrders(fresh(), [{ customerId: order.customer_id, orderId: Number(order.id) }]);
      },
      'latest trades of a product': (call) => latestTrades(fresh(), product(call), 20),
      'fund log, newest 20': (call) => readFundLog(pool, { ...funds, customerId: customer(call) }),
      'fund log of the busiest': () => readFundLog(pool, { ...funds, customerId: heavy }),
      '300 candles of a minute': (call) =>
        readCandles(pool, {
          product: { id: product(call), day: UTC_DAYS },
          period: '1m',
          beforeMs: null,
          limit: 300,
        }),
      '60 older candles of 5 minutes': (call) =>
        readCandles(pool, {
          product: { id: product(call), day: UTC_DAYS },
          period: '5m',
          beforeMs: NOW_MS - 3_600_000,
          limit: 60,
        }),
      'prices of an hour': (call) =>
        readTickLine(pool, { productId: product(call), fromMs: NOW_MS - 3_600_000, toMs: NOW_MS }),
      'bundle of the log': (call) => reader.bundle(1 + scattered(call, ticks / 256 - 2)),
      'tile of level 1': (call) => reader.tileHashes(1, scattered(call, Math.floor(ticks / 65_536)), 256),
    },
  };
}

/** Orders from all over the table. */
async function knownOrders(pool: Pool): Promise<{ id: string; customer_id: string }[]> {
  const { rows } = await pool.query<{ id: string; customer_id: string }>(
    `select o.id, o.customer_id from (
       select number from order_batches order by sha256(int8send(number)) limit 500
     ) b join orders o on o.id = first_order(b.number) + 7`,
  );
  return rows;
}
