import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSessions } from '@fairtick/kit/people/traders.ts';
import { ServerProcess } from '@fairtick/kit/processes/node-process.ts';
import { SEEDED_ASSETS } from '../../apps/server/src/commands/seeded-assets.ts';
import { loadSigningKeys } from '../../apps/server/src/market/keys/signing-keys.ts';
import { LogReader } from '../../apps/server/src/market/log/log-reader.ts';
import { Products } from '../../apps/server/src/market/products.ts';
import { RuleBook } from '../../apps/server/src/market/rule-book.ts';
import { Assets } from '../../apps/server/src/platform/assets.ts';
import type { DatabaseAddress, Pool } from '../../apps/server/src/platform/db/database.ts';
import type { PlacementParts } from '../../apps/server/src/trading/placement/placement-parts.ts';
import { type BenchDatabase, LOG_ORIGIN, openInstallation, openOwnDatabase } from './installation.ts';
import { cpuMsOf, familyCpuMs } from './measure.ts';
import { sized } from './size.ts';

/**
 * An installation to measure: its own database on the real disk, as durable as a customer's, the feed as a separate process, and
 * the parts of placement and settlement in this process.
 */
export interface BenchHouse {
  readonly dataDir: string;
  readonly database: DatabaseAddress;
  /** Pools with the server's rights, and with the owner's. */
  readonly pool: Pool;
  readonly owner: Pool;
  readonly placement: PlacementParts;
  readonly reader: LogReader;
  /** CPU time so far, ms: of the feed's process, and of all processes of the embedded database. */
  readonly cpuMs: () => { readonly feed: number; readonly database: number };
  /** Ids of customers with 10 000 DEMO each. */
  readonly customers: readonly string[];
  /** Ids of products that take orders now; waits for ten of them. */
  readonly openProducts: () => Promise<number[]>;
  /** Does work that nobody may write the log beside; afterwards the feed writes again. */
  readonly withoutFeed: (work: () => Promise<void>) => Promise<void>;
  close(): Promise<void>;
}

const CUSTOMERS = Number(process.env.CUSTOMERS ?? sized(100_000, 1_000));

/** @param options.databaseUrl a database of one's own, which `settings` do not reach; absent: the embedded one */
export async function openHouse(
  options: { customers?: number; settings?: Readonly<Record<string, string>>; databaseUrl?: string } = {},
): Promise<BenchHouse> {
  const { customers: count = CUSTOMERS, databaseUrl, settings } = options;
  const installation: BenchDatabase & { readonly postmaster?: number } =
    databaseUrl === undefined ? await openInstallation(settings) : await openOwnDatabase(databaseUrl);
  const { dataDir, address: database, server: pool, owner } = installation;
  // Marks every product as watched, so that all of them tick at every grid time from the first one on.
  await owner.query(`insert into watched_products select id, now() + interval '1 day' from products`);
  let feed = await startFeed(dataDir, databaseUrl);
  const customers = await makeCustomers(owner, count);
  const placement = await placementParts(pool, dataDir);
  const openProducts = async () => {
    for (;;) {
      const { rows } = await owner.query<{ product_id: number }>(
        'select product_id from product_states where orders_from_ms < log_now() and gap_reason is null order by 1',
      );
      if (rows.length >= 10) return rows.map((row) => row.product_id);
      await sleep(250);
    }
  };
  await openProducts();
  const logSize = async () =>
    (await owner.query<{ size: string }>('select size from log_head')).rows[0]?.size;
  return {
    database,
    pool,
    owner,
    dataDir,
    placement,
    reader: new LogReader(pool, placement.products, placement.rules),
    cpuMs: () => ({
      feed: cpuMsOf(feed.pid),
      database: installation.postmaster === undefined ? Number.NaN : familyCpuMs(installation.postmaster),
    }),
    customers,
    openProducts,
    withoutFeed: async (work) => {
      await feed.stop();
      await work();
      const size = await logSize();
      feed = await startFeed(dataDir, databaseUrl);
      // Until the feed writes, products look open that it will open later.
      while ((await logSize()) === size) await sleep(250);
      await openProducts();
    },
    close: async () => {
      await feed.stop();
      await installation.close();
    },
  };
}

/** The parts with which an API process places orders. */
export async function placementParts(pool: Pool, dataDir: string): Promise<PlacementParts> {
  return {
    pool,
    assets: await Assets.load(pool),
    products: await Products.load(pool),
    rules: new RuleBook(pool),
    signer: loadSigningKeys(join(dataDir, 'signing.key'), LOG_ORIGIN).acceptances,
  };
}

/** The real feed writes the log in a separate process; by default it uses the database that runs on the folder. */
function startFeed(dataDir: string, databaseUrl?: string): Promise<ServerProcess> {
  const own = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  return ServerProcess.start(
    { ROLE: 'feed', DATA_DIR: dataDir, PUBLIC_ORIGIN: 'http://bench.invalid', ...own },
    { stopsBy: 'SIGTERM' },
  );
}

/** Inserts customers, with practice money booked as one transfer, and limits so wide that no order is refused. */
async function makeCustomers(owner: Pool, count: number): Promise<string[]> {
  await owner.query('update promised_income set product_limit = 9e18, group_limit = 9e18');
  await owner.query(
    `insert into customers (account, nickname, password_hash) select 'bench' || i, 'bench', '' from generate_series(1, $1) i`,
    [count],
  );
  await owner.query(
    `with given as (
       insert into ledger.transfers (idempotency_key, input_hash, kind) values ('bench', sha256('bench'), 'practice') returning id
     ), stood as (
       insert into ledger.balances (owner_id, asset_id, available)
       select c.id, a.id, case when a.id = $1::smallint then $2::bigint else 0 end from customers c, ledger.assets a
     ), moved as (
       insert into ledger.house_movements (transfer_id, account, asset_id, amount)
       select g.id, ledger.external_account(), $1::smallint, -$2::bigint * $3::bigint from given g
     )
     insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
     select g.id, c.id, $1::smallint, ledger.external_account(), c.id * 4, $2::bigint, $2::bigint, 0 from given g, customers c`,
    [DEMO, TEN_THOUSAND, count],
  );
  const { rows } = await owner.query<{ id: string }>('select id from customers order by id');
  const customers = rows.map((row) => row.id);
  await openSessions(owner, customers);
  await owner.query('vacuum analyze');
  return customers;
}

/** The practice asset, and 10 000 of it in its smallest unit. */
export const DEMO = SEEDED_ASSETS.DEMO.id;
const TEN_THOUSAND = 10_000_000_000;
