import { PlacementQueue } from '../apps/server/src/trading/placement/placement-queue.ts';
import { expectOpened, expectRightBooks } from './kit/books.ts';
import { type BenchHouse, DEMO, openHouse } from './kit/house.ts';
import { median, percentile } from './kit/measure.ts';
import { sized } from './kit/size.ts';
import { placeFor, type Round } from './placement.ts';

/**
 * The cost of customers' own limits for placement: `npm run bench -- limits`. The baseline is customers without limits, in the same
 * run; the others have four, on stakes and losses of a week and a month. Some of them have hundreds of orders, and all have a
 * month of days behind them.
 */
const ROUNDS = Number(process.env.ROUNDS ?? sized(3, 1));
const SECONDS = Number(process.env.SECONDS ?? sized(6, 1));
const REQUESTERS = sized(256, 16);
const CUSTOMERS = sized(60_000, 1_200);
/** Few enough that each has hundreds of orders of this month when they are measured. */
const BUSY = sized(512, 64);
const BUSY_SECONDS = sized(30, 1);

async function main(): Promise<void> {
  const house = await openHouse({ customers: CUSTOMERS });
  try {
    const products = await house.openProducts();
    const queue = new PlacementQueue(house.placement);
    const half = (CUSTOMERS - BUSY) / 2;
    const groups = {
      'without limits': house.customers.slice(0, half),
      'with four': house.customers.slice(half, 2 * half),
      'with four, and many orders': house.customers.slice(2 * half),
    };
    const place = (customers: readonly string[], seconds: number) =>
      placeFor({ ...house, customers }, queue, { products, requesters: REQUESTERS, seconds });
    await place(groups['with four, and many orders'], BUSY_SECONDS);
    await limit(house, [...groups['with four'], ...groups['with four, and many orders']]);
    const results = new Map(Object.keys(groups).map((name) => [name, [] as Round[]]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, customers] of Object.entries(groups)) {
        results.get(name)?.push(await place(customers, SECONDS));
      }
    }
    await report(house, results, groups);
    await expectOpened(house);
    await expectRightBooks(house);
  } finally {
    await house.close();
  }
}

/** Sets limits so wide that no order is refused. */
async function limit({ owner }: BenchHouse, customers: readonly string[]): Promise<void> {
  await owner.query('insert into protected_customers (customer_id) select unnest($1::bigint[])', [customers]);
  await owner.query(
    `insert into customer_limits (customer_id, asset_id, kind, per, amount)
     select c, $2, kind, per, 1e15 from unnest($1::bigint[]) c, unnest('{stake,loss}'::text[]) kind, unnest('{week,month}'::text[]) per`,
    [customers, DEMO],
  );
  await owner.query('select traded_days_fill(c, $2, log_now()) from unnest($1::bigint[]) c', [
    customers,
    DEMO,
  ]);
  await owner.query(
    `insert into traded_days (customer_id, asset_id, day_ms, staked)
     select c, $2, day_start_ms(log_now()) - 86400000 * back::bigint, 1 from unnest($1::bigint[]) c, generate_series(1, 30) back`,
    [customers, DEMO],
  );
  await owner.query('analyze protected_customers, customer_limits, traded_days, orders');
}

async function report(
  { owner }: BenchHouse,
  results: ReadonlyMap<string, readonly Round[]>,
  groups: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const rateOf = (name: string) => median((results.get(name) ?? []).map(({ rate }) => rate));
  for (const [name, rounds] of results) {
    const { rows } = await owner.query<{ orders: number }>(
      'select count(*)::float8 / $2 as orders from orders where customer_id = any ($1::bigint[])',
      [groups[name], groups[name]?.length],
    );
    const of = (read: (round: Round) => number) => median(rounds.map(read)).toFixed(0);
    console.log(
      [
        `customers ${name}: ${rateOf(name).toFixed(0)}/s = ${(rateOf(name) / rateOf('without limits')).toFixed(2)} × without`,
        `p50 ${of(({ latencies }) => percentile(latencies, 0.5))} ms, p99 ${of(({ latencies }) => percentile(latencies, 0.99))} ms`,
        `CPU per order ${of(({ spent }) => spent.databaseUs)} µs database + ${of(({ spent }) => spent.nodeUs)} µs Node`,
        `${rows[0]?.orders.toFixed(0)} orders each at the end`,
        `refused ${rounds.map(({ refused }) => refused).join(', ')}`,
      ].join('; '),
    );
  }
}

if (import.meta.main) await main();
