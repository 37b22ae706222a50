import { HandLog } from '@fairtick/kit/installation/hand-log.ts';
import { GRID_MS, gridFrom, MIN_DELAY_MS, type ProductRules, settlementTime } from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';
import { advanceSettlementHead, settleDueOrders, voidUnopenedOrders } from './settle-orders.ts';

/** Which entries of the log open an order, and which void it, on the real database. */
let log: HandLog;
let orderId: number;
let acceptedAtMs: number;
let delayMs: number;
/** The opening time, the last grid time before it, and the last time at which the order may open. */
let fromMs: number;
let gridMs: number;
let untilMs: number;
let settlesAtMs: number;
afterEach(async () => {
  expect((await log.db.owner.query('select * from ledger.violations()')).rows).toEqual([]);
  await log.close();
});

/** A customer has just staked 100 on EUR/USD, `afterMs` behind a grid time, at 1.08400. */
async function buy({
  afterMs = 0,
  ...rules
}: Partial<ProductRules> & { afterMs?: number } = {}): Promise<void> {
  log = await HandLog.open(rules);
  if (afterMs > 0) await log.passTo(log.nowMs + afterMs);
  const [customer] = (await log.customers(1)) as [string];
  orderId = await log.buy(customer);
  acceptedAtMs = log.nowMs;
  delayMs = rules.delayMs ?? MIN_DELAY_MS;
  setTimes(acceptedAtMs + delayMs);
}

function setTimes(earliestMs: number): void {
  fromMs = gridFrom(earliestMs);
  gridMs = fromMs - GRID_MS;
  untilMs = fromMs + 5_000;
  settlesAtMs = settlementTime(fromMs, 1);
}

const settledBefore = async (): Promise<number> =>
  Number((await log.db.owner.query('select settled_before_ms as ms from settlement_head')).rows[0].ms);
const logged = async () => log.orders(Math.ceil((acceptedAtMs + 1) / GRID_MS) * GRID_MS);
const parts = () => ({ pool: log.db.server, reader: log.reader, rules: log.rules });

/** All that an engine does in one turn. */
async function settle(): Promise<void> {
  await voidUnopenedOrders(parts());
  await settleDueOrders(parts());
  await advanceSettlementHead(log.db.server);
}

/** What the order has come to: the reason of its void, or its result and opening price, or `open`. */
async function outcome(): Promise<string> {
  await settle();
  const { rows } = await log.db.owner.query<{
    result: number | null;
    void_reason: string;
    open_price: string;
  }>('select result, void_reason, open_price from orders where id = $1', [orderId]);
  const [order] = rows;
  if (order?.result == null) return 'open';
  return order.void_reason ?? `${['loss', 'none', 'profit'][order.result + 1]} ${order.open_price}`;
}

/** Ticks whose quotes are all more than D older than the opening time. */
const old = (from: number, to: number) => {
  const before = fromMs - delayMs - 1;
  const quotedMs = [before, before, before];
  return log.ticks(from, to, '1.08400', { quotedMs });
};

/** Writes a tick at the settlement time. */
const end = (price = '1.08500') => log.tick(settlesAtMs, price);

describe('an order opens', () => {
  test.each([0, 1, 249])(
    'at the first grid time at or after acceptance + D if it names no other, accepted %i ms behind one',
    async (afterMs) => {
      await buy({ afterMs });
      await logged();
      await log.tick(gridMs, '1.08410');
      await log.tick(gridMs + 250, '1.08420');
      await log.tick(gridMs + 500, '1.08430');
      await end();
      expect(await outcome()).toBe('profit 108420');
    },
  );

  test('at a later tick, if more than half of the used quotes of those before are too old', async () => {
    await buy();
    await logged();
    const before = fromMs - delayMs - 1;
    await log.tick(gridMs, '1.08410');
    await log.tick(fromMs, '1.08420', { quotedMs: [before, before, fromMs] });
    await log.tick(fromMs + 250, '1.08430', { quotedMs: [before, fromMs, fromMs] });
    await end();
    expect(await outcome()).toBe('profit 108430');
  });

  test('at exactly 5 s after the opening time', async () => {
    await buy();
    await logged();
    await log.tick(gridMs, '1.08400');
    await old(fromMs, untilMs - 250);
    await log.tick(untilMs, '1.08440');
    await end();
    expect(await outcome()).toBe('profit 108440');
  });

  test('whatever is missing or interrupted before that and afterwards', async () => {
    await buy();
    await logged();
    await log.gap(gridMs - 250);
    await log.ticks(gridMs, fromMs, '1.08420');
    await log.gap(fromMs + 250);
    await end();
    expect(await outcome()).toBe('profit 108420');
  });
});

describe('an order whose batch is logged late', () => {
  test('opens a second after the entry, and is void a millisecond later', async () => {
    await buy();
    await log.orders(fromMs - 1_000);
    await log.ticks(gridMs, fromMs, '1.08420');
    await end();
    expect(await outcome()).toBe('profit 108420');
    await log.close();
    await buy();
    await log.orders(fromMs - 999);
    await log.ticks(gridMs, fromMs, '1.08420');
    await log.passTo(fromMs + 5_250);
    expect(await outcome()).toBe('not_logged');
  });

  test('pays its stake and a tenth of it when it is void', async () => {
    await buy();
    await log.orders(fromMs);
    await log.passTo(fromMs + 5_250);
    expect(await outcome()).toBe('not_logged');
    const { rows } = await log.db.owner.query('select stake, credited from orders where id = $1', [orderId]);
    expect(rows).toEqual([{ stake: '100000000', credited: '110000000' }]);
  });

  test('stays open until the batch is logged, however late, and the orders of others do not wait for it', async () => {
    await buy();
    await log.ticks(gridMs, fromMs, '1.08420');
    await end();
    await log.passTo(settlesAtMs + 600_000);
    expect(await outcome()).toBe('open');
    expect(await settledBefore()).toBe(settlesAtMs);
    await log.orders(settlesAtMs + 600_250);
    expect(await outcome()).toBe('not_logged');
  });
});

describe('an order is void if a grid time is missing: hole', () => {
  test.each([
    ['the last before the opening time', () => log.ticks(fromMs, fromMs + 250, '1.08420')],
    ['that of the opening', () => log.tick(gridMs, '1.08410')],
    [
      'one after ticks that can’t open it',
      () => log.tick(gridMs, '1.08410').then(() => old(fromMs, fromMs + 500)),
    ],
    ['all of them', () => log.passTo(fromMs)],
  ])('%s', async (_case, write) => {
    await buy();
    await logged();
    await write();
    await log.tick(untilMs + 250, '1.08450');
    expect(await outcome()).toBe('hole');
  });

  test('with the product’s next entry, whenever it comes, and no time of the log decides before', async () => {
    await buy();
    await logged();
    await log.tick(gridMs, '1.08410');
    await old(fromMs, untilMs - 500);
    await log.passTo(settlesAtMs + 600_000);
    expect(await outcome()).toBe('open');
    expect(await settledBefore()).toBe(settlesAtMs);
    await log.gap(settlesAtMs + 600_250);
    expect(await outcome()).toBe('hole');
  });
});

describe('an order is void if prices are interrupted before it opens: gap', () => {
  test.each([
    ['last before the opening time', () => log.gap(gridMs)],
    [
      'last before the opening time, not the first one',
      () => log.gap(gridMs - 500).then(() => log.gap(gridMs)),
    ],
    ['some time before the opening time', () => log.gap(gridMs - 250)],
    ['at the opening time', () => log.tick(gridMs, '1.08410').then(() => log.gap(fromMs))],
    [
      'at 5 s after the opening time',
      async () => {
        await log.tick(gridMs, '1.08410');
        await old(fromMs, untilMs - 250);
        await log.gap(untilMs, 'quorum');
      },
    ],
  ])('%s', async (_case, write) => {
    await buy();
    await logged();
    await write();
    await log.tick(untilMs + 250, '1.08450');
    expect(await outcome()).toBe('gap');
  });
});

describe('an order is void if no tick opens it: no_open', () => {
  test('by 5 s after the opening time', async () => {
    await buy();
    await logged();
    await log.tick(gridMs, '1.08410');
    await old(fromMs, untilMs);
    await log.tick(untilMs + 250, '1.08450');
    expect(await outcome()).toBe('no_open');
  });

  test('by its settlement time, if that comes first', async () => {
    await buy({ delayMs: 58_000 });
    await logged();
    await log.tick(gridMs, '1.08410');
    await log.ticks(fromMs, settlesAtMs, '1.08400', {
      quotedMs: [fromMs - delayMs - 1, fromMs - delayMs - 1],
    });
    await log.tick(settlesAtMs + 250, '1.08450');
    expect(await outcome()).toBe('no_open');
  });
});

describe('an order without a current tick of exactly its settlement time wins', () => {
  const opened = async (rules: Partial<ProductRules> = {}) => {
    await buy(rules);
    await logged();
    await log.ticks(gridMs, fromMs, '1.08420');
  };

  test.each(['1.08419', '1.08421'])('whatever the last price before was: %s', async (price) => {
    await opened();
    await log.tick(settlesAtMs - 250, price);
    expect(await outcome()).toBe('open');
    await log.tick(settlesAtMs + 250, price);
    expect(await outcome()).toBe('profit 108420');
  });

  test('with a gap of that time', async () => {
    await opened();
    await log.gap(settlesAtMs - 1_000);
    await log.gap(settlesAtMs);
    expect(await outcome()).toBe('profit 108420');
  });

  test.each([
    [501, 'profit'],
    [500, 'loss'],
  ])('if the quotes of its tick are %i ms old: %s', async (ageMs, expected) => {
    await opened({ freshMs: 500 });
    const quotedMs = [settlesAtMs, settlesAtMs - ageMs, settlesAtMs - ageMs];
    await log.tick(settlesAtMs, '1.08419', { quotedMs });
    expect(await outcome()).toBe(`${expected} 108420`);
  });

  test('only once the product has an entry at or after it, and the orders of others do not wait for that', async () => {
    log = await HandLog.open({}, ['EUR/USD', 'GBP/USD']);
    const [ann, bob] = (await log.customers(2)) as [string, string];
    acceptedAtMs = log.nowMs;
    setTimes(acceptedAtMs + MIN_DELAY_MS);
    const [silent, other] = await Promise.all([log.buy(ann), log.buy(bob, { symbol: 'GBP/USD' })]);
    await log.orders(acceptedAtMs + 250);
    for (let timeMs = gridMs; timeMs <= fromMs; timeMs += GRID_MS)
      for (const symbol of ['EUR/USD', 'GBP/USD']) await log.tick(timeMs, '1.08420', { symbol });
    await log.tick(settlesAtMs, '1.08430', { symbol: 'GBP/USD' });
    await log.passTo(settlesAtMs + 3_600_000);
    orderId = other;
    expect(await outcome()).toBe('profit 108420');
    orderId = silent;
    expect(await outcome()).toBe('open');
    expect(await settledBefore()).toBe(settlesAtMs);
    await log.gap(settlesAtMs + 3_600_250);
    expect(await outcome()).toBe('profit 108420');
  });
});

describe('where a source does not count, the best quote of use is the price', () => {
  test.each([
    ['up', { quotedMs: 2, prices: ['1.08421', '1.08425'] }, 'loss 108421', '1.08420'],
    ['down', { quotedMs: 2, prices: ['1.08421', '1.08425'] }, 'profit 108425', '1.08424'],
    ['down', { quotedMs: 3, prices: ['1.08421', '1.08425', '1.08423'] }, 'loss 108423', '1.08424'],
  ] as const)(
    'at the opening of %s, with quotes %j: %s',
    async (direction, { quotedMs, prices }, expected, settle) => {
      log = await HandLog.open();
      const [customer] = (await log.customers(1)) as [string];
      orderId = await log.buy(customer, { direction });
      acceptedAtMs = log.nowMs;
      setTimes(acceptedAtMs + MIN_DELAY_MS);
      await logged();
      await log.tick(fromMs - 250, '1.08400');
      await log.tick(fromMs, '', { quotedMs: Array.from({ length: quotedMs }, () => fromMs), prices });
      await end(settle);
      expect(await outcome()).toBe(expected);
    },
  );

  test.each([
    [['1.08419', '1.08421'], 'profit'],
    [['1.08419', '1.08420'], 'none'],
    [['1.08418', '1.08419'], 'loss'],
  ])('at the settlement of up, with quotes %j: %s', async (prices, expected) => {
    await buy();
    await logged();
    await log.ticks(gridMs, fromMs, '1.08420');
    await log.tick(settlesAtMs, '', { quotedMs: [settlesAtMs, settlesAtMs], prices });
    expect(await outcome()).toBe(`${expected} 108420`);
  });
});

test('a product that the log leaves without an entry holds up no early return of the stakes of others', async () => {
  log = await HandLog.open({}, ['EUR/USD', 'GBP/USD']);
  const [ann, bob] = (await log.customers(2)) as [string, string];
  const silent = await log.buy(ann, { minutes: 60 });
  await log.orders(log.nowMs + 250);
  await log.passTo(log.nowMs + 76_000);
  await log.tick(log.nowMs, '1.27000', { symbol: 'GBP/USD' });
  const other = await log.buy(bob, { symbol: 'GBP/USD', minutes: 60 });
  await log.orders(log.nowMs + 250);
  await log.gap(log.nowMs + 250, 'restart', 'GBP/USD');
  await log.gap(log.nowMs + 6_000, 'restart', 'GBP/USD');
  orderId = other;
  expect(await outcome()).toBe('gap');
  orderId = silent;
  expect(await outcome()).toBe('open');
});
