import { HeldCommits, untilBlocked } from '@fairtick/kit/database/pools.ts';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited, pricedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { seen, until } from '@fairtick/kit/waiting/until.ts';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { Listener } from '../../platform/bus/listener.ts';
import { PostgresWire } from '../../platform/bus/postgres-wire.ts';
import { failureOf } from '../../platform/db/database.ts';
import { EngineRole } from '../../processes/engine-role.ts';
import { settleAllDue } from './settle-lanes.ts';
import { advanceSettlementHead, voidUnopenedOrders } from './settle-orders.ts';

const HOUR_MS = 3_600_000;
const still = forTest(() => pricedHouse(), closeAudited);
const pool = () => still.house.db.server;
const chunksOf = (orders: number) => ({ size: { now: async () => orders } });

/** Creates this many orders of 10 DEMO, one per customer, opened at 1.08427 and due now at 1.08428. */
async function dueOrders(count: number): Promise<{ customers: string[]; ids: number[] }> {
  const customers = await still.customers(count);
  const answers = await still.place(
    customers.map((customer) => still.house.request(customer, { symbol: 'EUR/USD', amount: '10' })),
  );
  const ids = answers.map((answer) => (answer.kind === 'accepted' ? answer.orderId : 0));
  const { opensAtMs, settlesAtMs } = await still.order(ids[0] as number);
  await still.openAt(opensAtMs, 'EUR/USD', '1.08427');
  await still.leapTo(settlesAtMs - 250);
  await still.tick('EUR/USD', '1.08428');
  await still.stepBy(250);
  return { customers, ids };
}

/** How many times the ledger paid each order. */
async function payments(): Promise<number[]> {
  const { rows } = await still.house.db.owner.query<{ count: number }>(
    `select count(distinct p.transfer_id)::int as count from orders o
     left join (ledger.postings p join ledger.transfers t on t.id = p.transfer_id and t.kind = 'resolve')
       on p.owner_id = o.customer_id and p.ref = o.id group by o.id`,
  );
  return rows.map(({ count }) => count);
}

const settlementHead = async (): Promise<number> => {
  const { rows } = await still.house.db.owner.query('select settled_before_ms from settlement_head');
  return Number(rows[0].settled_before_ms);
};

describe('settling in chunks', () => {
  test('settles each order once, whatever the size of a chunk', async () => {
    const { customers } = await dueOrders(50);
    expect(await settleAllDue(pool(), chunksOf(7))).toBe(50);
    const { rows } = await still.house.db.owner.query(
      `select max(count)::int as most from (
         select count(distinct p.ref) from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
         where t.kind = 'resolve' group by t.id) c`,
    );
    expect(rows).toEqual([{ most: 7 }]);
    expect(await payments()).toEqual(Array(50).fill(1));
    for (const customer of customers) {
      expect(await still.house.balance(customer)).toEqual({ available: 10_008_000_000n, held: 0n });
    }
  });

  test('eight engines at once settle each order once', async () => {
    await dueOrders(200);
    const engine = async () => {
      let settled = 0;
      for (let idle = 0; idle < 2; ) {
        const chunk = await settleAllDue(pool(), chunksOf(11));
        idle = chunk === 0 ? idle + 1 : 0;
        settled += chunk;
        await voidUnopenedOrders(pool());
        await advanceSettlementHead(pool());
      }
      return settled;
    };
    const settled = await Promise.all(Array.from({ length: 8 }, engine));
    expect(settled.reduce((sum, count) => sum + count, 0)).toBe(200);
    expect(await payments()).toEqual(Array(200).fill(1));
  });

  test('while another engine settles, nothing is settled twice; once it gives up, all is settled', async () => {
    await dueOrders(10);
    const other = await still.house.db.owner.connect();
    await other.query('begin');
    await other.query('select settlement_lanes_lock()');
    expect(await settleAllDue(pool())).toBe(0);
    await other.query('rollback');
    other.release();
    expect(await settleAllDue(pool())).toBe(10);
    expect(await payments()).toEqual(Array(10).fill(1));
  });

  test('an engine that dies before its commit leaves nothing behind', async () => {
    await dueOrders(10);
    const other = await still.house.db.owner.connect();
    await other.query('begin');
    // Results are written and balances wait.
    await other.query('select from ledger.balances where owner_id >= 1000 for update');
    const dying = settleAllDue(pool()).catch(failureOf);
    await untilBlocked(still.house.db.owner);
    await other.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and query like '%orders_settle%' and pid <> pg_backend_pid()`,
    );
    expect(await dying).toBe('57P01');
    await other.query('rollback');
    other.release();
    expect(await payments()).toEqual(Array(10).fill(0));
    expect(await settleAllDue(pool())).toBe(10);
    expect(await payments()).toEqual(Array(10).fill(1));
  });

  test.each(['server', 'owner'] as const)(
    'of orders named twice each is paid once (as the %s)',
    async (role) => {
      const { ids } = await dueOrders(3);
      const settle = async (named: readonly (number | undefined)[]) => {
        const { rows } = await still.house.db[role].query('select orders_settle($1)', [named]);
        return rows[0].orders_settle;
      };
      expect(await settle([ids[0], ids[0], ids[1]])).toBe(2);
      expect(await Promise.all([settle(ids), settle(ids)])).toEqual(expect.arrayContaining([1, 0]));
      expect(await payments()).toEqual([1, 1, 1]);
    },
  );
});

describe('after a long downtime', () => {
  test('every order that came due meanwhile is settled once, by the rules', async () => {
    const customers = await still.customers(4);
    const [ann, bob, cid, dan] = customers as [string, string, string, string];
    const order = { symbol: 'EUR/USD', amount: '100' };
    const opened = [await still.buy(ann, order), await still.buy(bob, { ...order, direction: 'down' })];
    await still.openAt((await still.order(opened[0] as number)).opensAtMs, 'EUR/USD', '1.08427');
    await still.tick('EUR/USD', '1.08430');
    // One order is logged but has not opened when the log stops; another is accepted but not logged.
    const logged = await still.buy(cid, order);
    await still.stepBy(250);
    const unlogged = await still.buy(dan, order);
    expect(await still.settle()).toBe(0);
    await still.restart(still.nowMs + 6 * HOUR_MS);
    await still.tick('EUR/USD', '1.20000');
    await still.stepBy(250);
    expect(await still.settle()).toBe(4);
    // The fixes are what they would have been: nobody said another price meanwhile.
    const [up, down] = await still.orders(opened);
    expect(up).toMatchObject({ result: 'profit', openPrice: 108_427n, settlePrice: 108_430n });
    expect(down).toMatchObject({ result: 'loss', openPrice: 108_427n, settlePrice: 108_430n });
    expect(await still.order(logged)).toMatchObject({
      result: 'none',
      voidReason: null,
      settlePrice: 108_430n,
    });
    // Its batch stands at the first grid time that was missed.
    expect(await still.order(unlogged)).toMatchObject({ result: 'none', voidReason: null });
    expect(await payments()).toEqual([1, 1, 1, 1]);
    const available = [10_080_000_000n, 9_900_000_000n, 10_000_000_000n, 10_000_000_000n];
    for (const [at, one] of customers.entries())
      expect(await still.house.balance(one)).toEqual({ available: available[at], held: 0n });
    expect(await settlementHead()).toBe(still.nowMs);
  });

  test('of the engine alone, orders settle by the fixes of their own time', async () => {
    const { ids } = await dueOrders(3);
    await still.stepBy(HOUR_MS);
    await still.tick('EUR/USD', '0.50000');
    expect(await still.settle()).toBe(3);
    for (const order of await still.orders(ids)) {
      expect(order).toMatchObject({ result: 'profit', settlePrice: 108_428n });
    }
  });
});

describe('the mark below which every order is settled', () => {
  test('never passes an unsettled order', async () => {
    const { ids } = await dueOrders(3);
    const { settlesAtMs } = await still.order(ids[0] as number);
    for (let look = 0; look < 3; look += 1) await advanceSettlementHead(pool());
    expect(await settlementHead()).toBe(settlesAtMs);
    await pool().query('select orders_settle($1)', [ids.slice(0, 2)]);
    await still.stepBy(1_000);
    await advanceSettlementHead(pool());
    expect(await settlementHead()).toBe(settlesAtMs);
    await settleAllDue(pool());
    await advanceSettlementHead(pool());
    expect(await settlementHead()).toBe(still.nowMs);
  });

  test('does not pass a batch that commits minutes late and whose orders are then void', async () => {
    const [slow, next] = (await still.customers(2)) as [string, string];
    const order = { symbol: 'EUR/USD', amount: '100' };
    const acceptedAtMs = still.nowMs;
    const held = new HeldCommits(still.placement.pool);
    const placing = still.place([still.house.request(slow, order)], { pool: held.pool });
    await held.reached;
    // The next batch waits for its lock.
    const waiting = still.place([still.house.request(next, order)]);
    await untilBlocked(still.house.db.owner);
    for (let minute = 0; minute < 3; minute += 1) {
      await still.stepBy(60_000);
      await still.settle();
    }
    expect(await settlementHead()).toBeLessThanOrEqual(acceptedAtMs + 60_000);
    held.release();
    const [answer] = await placing;
    await waiting;
    const orderId = answer?.kind === 'accepted' ? answer.orderId : 0;
    expect((await still.order(orderId)).settlesAtMs).toBeLessThan(still.nowMs);
    await still.stepBy(6_000);
    expect(await still.settle()).toBe(1);
    expect(await still.order(orderId)).toMatchObject({ result: 'none', voidReason: 'not_logged' });
    expect(await still.house.balance(slow)).toEqual({ available: 10_010_000_000n, held: 0n });
  });

  test('moves on while batches follow one another without a pause', async () => {
    const customers = await still.customers(6);
    const before = still.nowMs;
    let held = new HeldCommits(still.placement.pool);
    const order = { symbol: 'EUR/USD', amount: '10' };
    let placing = still.place([still.house.request(customers[0] as string, order)], { pool: held.pool });
    for (const customer of customers.slice(1)) {
      // A batch is always in flight.
      await held.reached;
      const next = new HeldCommits(still.placement.pool);
      const following = still.place([still.house.request(customer, order)], { pool: next.pool });
      await untilBlocked(still.house.db.owner);
      held.release();
      await placing;
      await next.reached;
      await still.stepBy(1_000);
      await advanceSettlementHead(pool());
      [held, placing] = [next, following];
    }
    // The mark can't reach the present, since the batch in flight could be older; it reaches the time of one batch ago.
    expect(await settlementHead()).toBe(still.nowMs - 1_000);
    expect(await settlementHead()).toBeGreaterThan(before);
    held.release();
    await placing;
  });

  test.each([
    [1_500, 'opens and settles like any other', { result: 'profit', openPrice: 108_427n }],
    [1_750, 'is void, because its batch is logged too late', { result: 'none', voidReason: 'not_logged' }],
  ])('an order that commits %i ms late %s', async (lateMs, _case, expected) => {
    const customer = await still.house.customer();
    const held = new HeldCommits(still.placement.pool);
    const request = still.house.request(customer, { symbol: 'EUR/USD', amount: '100' });
    const placing = still.place([request], { pool: held.pool });
    await held.reached;
    await still.stepBy(lateMs);
    held.release();
    const [answer] = await placing;
    const orderId = answer?.kind === 'accepted' ? answer.orderId : 0;
    const { opensAtMs, settlesAtMs } = await still.order(orderId);
    await still.openAt(opensAtMs, 'EUR/USD', '1.08427');
    await still.leapTo(settlesAtMs - 250);
    await still.tick('EUR/USD', '1.08428');
    await still.stepBy(250);
    expect(await still.settle()).toBe(1);
    expect(await still.order(orderId)).toMatchObject(expected);
  });
});

describe('an engine that meets an error', () => {
  test('carries on at once, and does not wait for its own lease to run out', async () => {
    const log = pino({ level: 'silent' });
    const listener = new Listener(new PostgresWire(still.house.db.serverAddress, log), log);
    const engine = new EngineRole(pool(), { listener, holder: 'engine', log });
    engine.start();
    await listener.start();
    await until(async () => (await settlementHead()) > 0);
    // Without the table, every query for orders fails.
    await still.house.db.owner.query('alter table orders rename to hidden_orders');
    const lease = async (): Promise<{ epoch: string; holder: string | null }> => {
      const { rows } = await still.house.db.owner.query(
        `select epoch, holder from leases where name = 'engine'`,
      );
      return rows[0];
    };
    // A lease without a holder is taken at once: it does not have to run out.
    const released = await seen(async () => {
      const now = await lease();
      return now.holder === null && now;
    });
    await until(async () => Number((await lease()).epoch) > Number(released.epoch));
    await still.house.db.owner.query('alter table hidden_orders rename to orders');
    await dueOrders(5);
    await until(async () => (await still.orders()).every(({ result }) => result !== null));
    await engine.stop();
    await listener.stop();
  });
});

describe('two engines that run', () => {
  test('settle each due order once, and one carries on when the other stops', async () => {
    const log = pino({ level: 'silent' });
    const listeners = ['first', 'second'].map(
      () => new Listener(new PostgresWire(still.house.db.serverAddress, log), log),
    );
    const engines = listeners.map(
      (listener, place) => new EngineRole(pool(), { listener, holder: `engine ${place}`, log }),
    );
    for (const engine of engines) engine.start();
    for (const listener of listeners) await listener.start();
    const allSettled = async (count: number) => {
      const orders = await still.orders();
      return orders.length === count && orders.every(({ result }) => result !== null);
    };
    await dueOrders(30);
    await until(() => allSettled(30));
    await engines[0]?.stop();
    // Prices stopped for a minute; they must hold for 15 s before orders are taken again.
    for (let second = 0; second < 15; second += 3) {
      await still.stepBy(2_750);
      await still.tick('EUR/USD', '1.08400');
    }
    await dueOrders(20);
    await until(() => allSettled(50));
    expect(await payments()).toEqual(Array(50).fill(1));
    await engines[1]?.stop();
    for (const listener of listeners) await listener.stop();
  });
});
