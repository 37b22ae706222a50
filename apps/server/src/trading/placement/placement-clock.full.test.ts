import { setTimeout as sleep } from 'node:timers/promises';
import { untilBlocked } from '@fairtick/kit/database/pools.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { START_MS } from '@fairtick/kit/installation/house.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import type { ProductRules } from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';

let still: StillHouse;
let customer: string;
afterEach(() => closeAudited(still));

/** Opens an installation in which EUR/USD has a price and a customer has 10 000 DEMO. */
async function open(rules: Partial<ProductRules> = {}, startMs?: number): Promise<void> {
  still = await StillHouse.open(rules, startMs);
  await still.tick('EUR/USD', '1.08400');
  customer = await still.house.customer();
}

const ORDER = { symbol: 'EUR/USD', amount: '100' };
const request = (order: Partial<Parameters<StillHouse['house']['request']>[1]> = {}) =>
  still.house.request(customer, { ...ORDER, ...order });
const untouched = { available: 10_000_000_000n, held: 0n };

/** `accepted`, or the code of the refusal. */
async function answer(
  order: Parameters<typeof request>[0] = {},
  notAfterMs: number | null = null,
): Promise<string> {
  const [given] = await still.place([{ ...request(order), notAfterMs }]);
  return given?.kind === 'refused' ? given.code : (given?.kind ?? 'nothing');
}

/** The same by a clock that runs: again while a slow machine is late for it. */
async function answerInTime(order: Parameters<typeof request>[0] = {}): Promise<string> {
  for (;;) {
    const given = await answer(order);
    if (given !== 'LATE') return given;
  }
}

describe('LATE: an order that takes too long after its clock was read', () => {
  /** Places an order whose transaction waits for a lock until the log has moved on. */
  async function placeSlowly(ms: number): Promise<unknown> {
    const blocker = await still.house.db.owner.connect();
    await blocker.query('begin; lock table order_batches in share mode');
    const placing = still.place([request()]);
    await untilBlocked(still.house.db.owner);
    await still.stepBy(ms);
    await blocker.query('commit');
    blocker.release();
    return (await placing)[0];
  }

  test('is accepted after exactly 500 ms', async () => {
    await open();
    expect(await placeSlowly(500)).toMatchObject({ kind: 'accepted' });
    expect(await still.house.balance(customer)).toEqual({ available: 9_900_000_000n, held: 100_000_000n });
  });

  test('is refused after 501 ms, and no money moves', async () => {
    await open();
    expect(await placeSlowly(501)).toEqual({ kind: 'refused', code: 'LATE' });
    expect(await still.house.balance(customer)).toEqual(untouched);
    expect(await still.orders()).toEqual([]);
    const { rows } = await still.house.db.owner.query(
      `select (select count(*) from order_batches)::int as batches, (select next_batch from placement_head)::int as next,
         (select count(*) from ledger.transfers where kind = 'reserve')::int as transfers,
         (select amount from promised_income where asset_id = 1)::int as promised`,
    );
    expect(rows).toEqual([{ batches: 0, next: 1, transfers: 0, promised: 0 }]);
  });

  test('may be sent again, and is then accepted at a new time', async () => {
    await open();
    const again = request({ key: 'again' });
    const blocker = await still.house.db.owner.connect();
    await blocker.query('begin; lock table promised_income in share mode');
    const placing = still.place([again]);
    await untilBlocked(still.house.db.owner);
    await still.stepBy(1_000);
    await blocker.query('commit');
    blocker.release();
    expect(await placing).toEqual([{ kind: 'refused', code: 'LATE' }]);
    const [second] = await still.place([again]);
    expect(second?.kind).toBe('accepted');
    expect((await still.orders())[0]?.acceptedAtMs).toBe(still.nowMs);
  });

  test('may wait for its balance without being late, because the clock is read once the balance is locked', async () => {
    await open();
    const before = still.nowMs;
    const blocker = await still.house.db.owner.connect();
    await blocker.query('begin');
    await blocker.query('select from ledger.balances where owner_id = $1 for update', [customer]);
    const placing = still.place([request()]);
    await untilBlocked(still.house.db.owner);
    await still.tick('EUR/USD', '1.08500');
    await still.stepBy(2_000);
    await blocker.query('commit');
    blocker.release();
    expect((await placing)[0]?.kind).toBe('accepted');
    const [order] = await still.orders();
    expect(order?.acceptedAtMs).toBe(before + 2_250);
    // The acceptance names the log's head after the wait, which includes the price logged meanwhile.
    const shown = await still.shown(customer, order?.id as number);
    const { rows } = await still.house.db.owner.query(
      'select size::int, encode(root, $1) as root from log_head',
      ['hex'],
    );
    const lines = shown.acceptance.text.split('\n');
    expect({ size: Number(lines[14]), root: lines[15] }).toEqual(rows[0]);
  });

  test('is accepted at a time after its wait for the balance, by a running clock', async () => {
    await open();
    /** Returns the log's time at the end of the wait; null where a slow machine is late for the order. */
    const placeBehindLock = async (): Promise<number | null> => {
      // The clock runs as in production: the log's time is the database's clock plus the offset of its last step.
      still.quote('EUR/USD', '1.08400', still.nowMs + 1);
      await still.house.stepBy(250);
      const blocker = await still.house.db.owner.connect();
      await blocker.query('begin');
      await blocker.query('select from ledger.balances where owner_id = $1 for update', [customer]);
      const placing = still.place([request()]);
      await untilBlocked(still.house.db.owner);
      await sleep(100);
      const { rows } = await blocker.query<{ now: string }>('select log_now() as now');
      await blocker.query('commit');
      blocker.release();
      const [given] = await placing;
      if (given?.kind === 'refused' && ['LATE', 'PRICE_UNAVAILABLE'].includes(given.code)) return null;
      expect(given).toMatchObject({ kind: 'accepted' });
      return Number(rows[0]?.now);
    };
    const waitedUntilMs = await seen(placeBehindLock);
    const [order] = await still.orders();
    expect(order?.acceptedAtMs).toBeGreaterThanOrEqual(waitedUntilMs);
  });
});

describe('EXPIRED: the customer’s own bound on waiting', () => {
  test('an order is taken at its notAfter and refused a millisecond past it', async () => {
    await open();
    expect(await answer({}, still.nowMs)).toBe('accepted');
    expect(await answer({}, still.nowMs - 1)).toBe('EXPIRED');
    expect(await still.orders()).toHaveLength(1);
  });

  test('time spent waiting for a lock counts towards notAfter', async () => {
    await open();
    const blocker = await still.house.db.owner.connect();
    await blocker.query('begin; select * from placement_head for update');
    const placing = still.place([{ ...request(), notAfterMs: still.nowMs + 250 }]);
    await untilBlocked(still.house.db.owner);
    await still.stepBy(500);
    await blocker.query('commit');
    blocker.release();
    expect(await placing).toEqual([{ kind: 'refused', code: 'EXPIRED' }]);
    expect(await still.house.balance(customer)).toEqual(untouched);
  });
});

describe('orders need a log that is being written', () => {
  test('an order is refused when the log’s last entry is more than half a second old', async () => {
    await open();
    // The log's clock runs on, but no writer appends.
    await still.house.db.owner.query(
      `update log_head set offset_ms = time_ms + 501 - floor(extract(epoch from clock_timestamp()) * 1000)`,
    );
    expect(await answerInTime()).toBe('PRICE_UNAVAILABLE');
    expect(await still.house.balance(customer)).toEqual(untouched);
  });

  test('an order is refused when its product’s newest tick is more than half a second old', async () => {
    await open();
    still.quote('GBP/USD', '1.27000', still.nowMs + 1);
    still.quote('AUD/USD', '0.65000', still.nowMs + 1);
    await still.tick('EUR/USD', '1.08400');
    await still.tick('EUR/USD', '1.08400');
    await still.tick('EUR/USD', '1.08400');
    expect(await answer({ symbol: 'AUD/USD' })).toBe('accepted');
    await still.tick('EUR/USD', '1.08400');
    expect(await answer({ symbol: 'GBP/USD' })).toBe('PRICE_UNAVAILABLE');
  });

  test('an order is refused while its product has no price and for 15 s after prices are back', async () => {
    await open();
    await still.stepBy(6_000);
    expect(await answer()).toBe('PRICE_UNAVAILABLE');
    await still.tick('EUR/USD', '1.08400');
    const backMs = still.nowMs;
    expect(await answer()).toBe('PRICE_UNAVAILABLE');
    for (let second = 1; second < 15; second += 1) {
      await still.stepTo(backMs + second * 1_000 - 250);
      await still.tick('EUR/USD', '1.08400');
      expect(await answer()).toBe('PRICE_UNAVAILABLE');
    }
    await still.stepTo(backMs + 14_750);
    expect(await answer()).toBe('PRICE_UNAVAILABLE');
    await still.stepTo(backMs + 15_000);
    expect(await answer()).toBe('accepted');
  });

  test('after a restart of the writer a product takes orders at its next price', async () => {
    await open();
    await still.restart(still.nowMs + 1_000);
    expect(await answer()).toBe('PRICE_UNAVAILABLE');
    await still.tick('EUR/USD', '1.08400');
    expect(await answer()).toBe('accepted');
    // The gap concerns one product; another has had no price at all.
    expect(await answer({ symbol: 'GBP/USD' })).toBe('PRICE_UNAVAILABLE');
  });

  test('a halt stops new orders and nothing else', async () => {
    await open();
    const orderId = await still.buy(customer, ORDER);
    await still.house.db.owner.query('update placement_head set is_halted = true');
    expect(await answer()).toBe('TRADING_HALTED');
    const { opensAtMs, settlesAtMs } = await still.order(orderId);
    await still.openAt(opensAtMs, 'EUR/USD', '1.08410');
    await still.leapTo(settlesAtMs - 250);
    await still.tick('EUR/USD', '1.08420');
    await still.stepBy(250);
    expect(await still.settle()).toBe(1);
    expect(await still.order(orderId)).toMatchObject({ result: 'profit' });
  });
});

describe('trading hours', () => {
  // 1 June 2026 is a Monday.
  const hours = (from: string, to: string): Partial<ProductRules> => ({
    schedule: { zone: 'UTC', windows: [{ days: [1], from, to }], holidays: [] },
  });

  test('an order that would settle after the end of trading hours is refused, a shorter one is accepted', async () => {
    await open(hours('09:00', '12:05'));
    expect(still.nowMs).toBe(START_MS + 250);
    expect(await answer({ minutes: 5 })).toBe('SESSION_ENDS');
    expect(await answer({ minutes: 3 })).toBe('accepted');
  });

  test('an order can settle at the very end of trading hours, by their last price', async () => {
    await open(hours('09:00', '12:01'), START_MS - 2_500);
    await still.stepTo(START_MS - 2_250);
    await still.tick('EUR/USD', '1.08400');
    expect(still.nowMs).toBe(START_MS - 2_000);
    const orderId = await still.buy(customer, ORDER);
    expect((await still.order(orderId)).settlesAtMs).toBe(START_MS + 60_000);
    await still.openAt(START_MS, 'EUR/USD', '1.08400');
    await still.stepTo(START_MS + 59_750);
    await still.tick('EUR/USD', '1.08410');
    await still.stepBy(1_000);
    expect(await still.settle()).toBe(1);
    expect(await still.order(orderId)).toMatchObject({ result: 'profit', settlePrice: 108_410n });
  });

  test('a product takes no orders while it is closed and in its first 15 s', async () => {
    const openingMs = START_MS + 60_000;
    await open(hours('12:01', '13:00'));
    expect(await answer()).toBe('MARKET_CLOSED');
    await still.stepTo(openingMs);
    await still.tick('EUR/USD', '1.08400');
    expect(await answer()).toBe('PRICE_UNAVAILABLE');
    for (let ms = 5_000; ms < 15_000; ms += 4_500) {
      await still.stepTo(openingMs + ms - 250);
      await still.tick('EUR/USD', '1.08400');
      expect(await answer()).toBe('PRICE_UNAVAILABLE');
    }
    await still.stepTo(openingMs + 14_750);
    await still.tick('EUR/USD', '1.08400');
    expect(await answer()).toBe('accepted');
  });
});

describe('a clock of the database that jumps ahead before the log cancels it', () => {
  test('leads to refusals, and later orders are accepted and logged', async () => {
    await open();
    const { owner } = still.house.db;
    const { rows } = await owner.query('select offset_ms from log_head');
    await owner.query(
      `update log_head set offset_ms = time_ms + 3600000 - floor(extract(epoch from clock_timestamp()) * 1000)`,
    );
    expect(await answerInTime()).toBe('PRICE_UNAVAILABLE');
    await owner.query('update log_head set offset_ms = $1', [rows[0].offset_ms]);
    expect(await answer({ key: 'after' })).toBe('accepted');
    await still.stepBy(250);
    const { rows: logged } = await owner.query(
      'select min(first_batch) as first, max(last_batch) as last from logged_batches',
    );
    // A batch in which every order is refused has no number.
    expect(logged).toEqual([{ first: '1', last: '1' }]);
  });
});
