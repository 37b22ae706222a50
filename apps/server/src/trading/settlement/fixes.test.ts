import { HandLog } from '@fairtick/kit/installation/hand-log.ts';
import { type Direction, type ProductRules, settlementTime } from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';
import { settleAllDue } from './settle-lanes.ts';
import { advanceSettlementHead, correctOrders, voidUnopenedOrders } from './settle-orders.ts';

/** Which fixes of the log open, settle, void and correct an order, on the real database. */
const DAY_MS = 24 * 3_600_000;
let log: HandLog;
let customer: string;
let orderId: number;
let acceptedAtMs: number;
let opensAtMs: number;
let settlesAtMs: number;
afterEach(async () => {
  expect((await log.db.owner.query('select * from ledger.violations()')).rows).toEqual([]);
  await log.close();
});

/** A customer has just staked 100.000009 on EUR/USD, `afterMs` behind a whole second; a tenth of it is rounded down. */
async function buy({
  afterMs = 0,
  direction = 'up',
  ...rules
}: Partial<ProductRules> & { afterMs?: number; direction?: Direction } = {}): Promise<void> {
  log = await HandLog.open(rules);
  if (afterMs > 0) await log.tick(log.nowMs + afterMs, '1.08400');
  [customer] = (await log.customers(1)) as [string];
  orderId = await log.buy(customer, { amount: '100.000009', direction });
  acceptedAtMs = log.nowMs;
  opensAtMs = Math.ceil((acceptedAtMs + 2_000) / 1_000) * 1_000;
  settlesAtMs = settlementTime(opensAtMs, 1);
}

/** The order is logged and opens at 1.08420. */
async function opened(options: Parameters<typeof buy>[0] = {}, open = 0): Promise<void> {
  await buy(options);
  await log.orders(opensAtMs - 1_000);
  await log.fix(opensAtMs, '1.08420', { open });
}

/** All that an engine does in one turn. */
async function settle(): Promise<void> {
  await voidUnopenedOrders(log.db.server);
  await settleAllDue(log.db.server);
  await correctOrders(log.db.server);
  await advanceSettlementHead(log.db.server);
}

/** What the order has come to: the reason of its void or its result and prices, and what was paid; or `open`. */
async function outcome(): Promise<string> {
  await settle();
  const { rows } = await log.db.owner.query(
    'select result, void_reason, open_price as open, settle_price as settle, credited from orders_and_results where id = $1',
    [orderId],
  );
  const [order] = rows;
  if (order.result === null) return 'open';
  const prices = order.open === null ? '' : ` ${order.open} ${order.settle}`;
  return `${order.void_reason ?? `${['loss', 'none', 'profit'][order.result + 1]}${prices}`}, ${order.credited}`;
}

const available = async (): Promise<string> => {
  const { rows } = await log.db.owner.query(
    'select available, held from ledger.balances where owner_id = $1 and asset_id = 1',
    [customer],
  );
  expect(rows[0].held).toBe('0');
  return rows[0].available;
};
const settledBefore = async (): Promise<number> =>
  Number((await log.db.owner.query('select settled_before_ms as ms from settlement_head')).rows[0].ms);
const WON = '180000016';
const STAKE = '100000009';

describe('an order opens and settles at the fixes of its seconds', () => {
  test.each([0, 250])('accepted %i ms behind a whole second', async (afterMs) => {
    await opened({ afterMs });
    await log.ticks(opensAtMs + 250, opensAtMs + 750, '1.09000');
    await log.fix(settlesAtMs, '1.08421');
    expect(await outcome()).toBe(`profit 108420 108421, ${WON}`);
  });

  test.each([
    ['1.08419', 'loss 108420 108419, 0'],
    ['1.08420', `none 108420 108420, ${STAKE}`],
  ])('with the result of their prices: %s', async (price, expected) => {
    await opened();
    await log.fix(settlesAtMs, price);
    expect(await outcome()).toBe(expected);
  });

  test('and not before there is one of the settlement time, whatever ticks and gaps say', async () => {
    await opened();
    await log.tick(settlesAtMs, '1.08500');
    await log.gap(settlesAtMs + 250);
    expect(await outcome()).toBe('open');
    await log.fix(settlesAtMs, '1.08419');
    expect(await outcome()).toBe('loss 108420 108419, 0');
  });

  test('settles at a thin fix, too', async () => {
    await opened({ quietMs: 500 });
    await log.fix(settlesAtMs, '1.08421', { quotedMs: [settlesAtMs, settlesAtMs - 501, settlesAtMs - 501] });
    expect(await outcome()).toBe(`profit 108420 108421, ${WON}`);
  });

  test('not before the fix, whoever asks for it', async () => {
    await opened();
    await log.tick(settlesAtMs, '1.08500');
    const settle = async () => {
      const { rows } = await log.db.server.query('select orders_settle(array[$1::bigint])', [orderId]);
      return rows[0].orders_settle;
    };
    expect(await settle()).toBe(0);
    await log.fix(settlesAtMs, '1.08419');
    expect([await settle(), await settle()]).toEqual([1, 0]);
    expect(await outcome()).toBe('loss 108420 108419, 0');
  });
});

describe('an order is void', () => {
  test('if its batch is logged later than a second before it opens, and pays a tenth on top', async () => {
    await buy();
    await log.orders(opensAtMs - 999);
    await log.fix(opensAtMs, '1.08420');
    await log.passTo(opensAtMs + 5_250);
    expect(await outcome()).toBe('not_logged, 110000009');
  });

  test('if the fix of its opening is thin, and pays the stake alone, before its settlement time (S4-04, S4-35)', async () => {
    await buy({ quietMs: 500 });
    await log.orders(opensAtMs - 1_000);
    await log.fix(opensAtMs, '1.08420', { quotedMs: [opensAtMs, opensAtMs - 501, opensAtMs - 501] });
    await log.passTo(opensAtMs + 5_250);
    expect(await outcome()).toBe(`no_price, ${STAKE}`);
    expect(await available()).toBe('10000000000');
  });

  test('not if a fix has as many records of use as the quorum', async () => {
    await buy({ quietMs: 500 });
    await log.orders(opensAtMs - 1_000);
    await log.fix(opensAtMs, '1.08420', { quotedMs: [opensAtMs, opensAtMs - 500, opensAtMs - 501] });
    await log.fix(settlesAtMs, '1.08421');
    expect(await outcome()).toBe(`profit 108420 108421, ${WON}`);
  });

  test('once its batch is logged, however late, and the orders of others do not wait for it', async () => {
    await buy();
    await log.fix(opensAtMs, '1.08420');
    await log.fix(settlesAtMs, '1.08421');
    await log.passTo(settlesAtMs + 600_000);
    expect(await outcome()).toBe('open');
    expect(await settledBefore()).toBe(settlesAtMs);
    await log.orders(settlesAtMs + 600_250);
    expect(await outcome()).toBe('not_logged, 110000009');
  });
});

describe('an order wins if a fix is missing after 24 hours', () => {
  test.each(['opening', 'settlement'])('of its %s, and not at exactly 24 hours', async (which) => {
    await buy();
    await log.orders(opensAtMs - 1_000);
    if (which === 'settlement') await log.fix(opensAtMs, '1.08420');
    const missingMs = which === 'opening' ? opensAtMs : settlesAtMs;
    await log.passTo(missingMs + DAY_MS);
    expect(await outcome()).toBe('open');
    await log.tick(missingMs + DAY_MS + 250, '1.08400');
    expect(await outcome()).toBe(`profit, ${WON}`);
    await log.passTo(settlesAtMs + DAY_MS + 500);
    await settle();
    expect((await log.db.owner.query('select from fixes_due')).rowCount).toBe(0);
  });

  test('of both, though no fix was ever written; the orders of other products do not wait', async () => {
    log = await HandLog.open({}, ['EUR/USD', 'GBP/USD']);
    const [ann, bob] = (await log.customers(2)) as [string, string];
    opensAtMs = log.nowMs + 2_000;
    settlesAtMs = settlementTime(opensAtMs, 1);
    const [lost, other] = [await log.buy(ann), await log.buy(bob, { symbol: 'GBP/USD' })];
    await log.orders(opensAtMs - 1_000);
    await log.fix(opensAtMs, '1.27000', { symbol: 'GBP/USD' });
    await log.fix(settlesAtMs, '1.27001', { symbol: 'GBP/USD' });
    orderId = other;
    expect(await outcome()).toBe('profit 127000 127001, 180000000');
    await log.passTo(settlesAtMs + DAY_MS + 1);
    orderId = lost;
    expect(await outcome()).toBe('profit, 180000000');
  });
});

describe('the close of a fix with another price', () => {
  const close = (fixMs: number, price: string, timeMs = log.nowMs + 1_000) =>
    log.fix(fixMs, price, { kind: 'close', open: 3, timeMs });

  test.each([
    ['lost by the fix and won by the close', '1.08419', '1.08421', 'loss 108420 108419, 0', WON],
    ['lost by the fix and even by the close', '1.08419', '1.08420', 'loss 108420 108419, 0', STAKE],
    ['even by the fix and won by the close', '1.08420', '1.08421', `none 108420 108420, ${STAKE}`, WON],
  ])(
    'of the settlement pays an order what is missing, once: %s',
    async (_case, fixed, closed, before, paid) => {
      await opened();
      await log.fix(settlesAtMs, fixed, { open: 3 });
      expect(await outcome()).toBe(before);
      await close(settlesAtMs, closed);
      expect(await outcome()).toContain(`108420 ${closed.replace('.', '')}, ${paid}`);
      expect(await available()).toBe(String(10_000_000_000 - Number(STAKE) + Number(paid)));
      expect(await outcome()).toContain(paid);
      const { rows } = await log.db.owner.query(
        `select t.kind, p.amount, p.debit from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
       where p.ref = $1 and t.kind = 'amend'`,
        [orderId],
      );
      const credited = Number(before.split(', ')[1]);
      expect(rows).toEqual([{ kind: 'amend', amount: String(Number(paid) - credited), debit: '8' }]);
      const notices = await log.db.owner.query(
        'select kind, parameters from notices where customer_id = $1',
        [customer],
      );
      expect(notices.rows).toMatchObject([{ kind: 'order.corrected', parameters: { id: String(orderId) } }]);
    },
  );

  test('of the opening counts at the settlement, and after it', async () => {
    await opened({}, 3);
    await close(opensAtMs, '1.08418');
    await log.fix(settlesAtMs, '1.08419');
    expect(await outcome()).toBe(`profit 108418 108419, ${WON}`);
    await log.close();
    await opened({}, 3);
    await log.fix(settlesAtMs, '1.08419');
    expect(await outcome()).toBe('loss 108420 108419, 0');
    await close(opensAtMs, '1.08418');
    expect(await outcome()).toBe(`profit 108418 108419, ${WON}`);
  });

  test('takes nothing back, before the settlement or after it', async () => {
    await opened({}, 3);
    await log.fix(settlesAtMs, '1.08421', { open: 3 });
    expect(await outcome()).toBe(`profit 108420 108421, ${WON}`);
    await close(settlesAtMs, '1.08419');
    await close(opensAtMs, '1.08430');
    expect(await outcome()).toBe(`profit 108420 108421, ${WON}`);
    expect(await available()).toBe(String(10_000_000_000 - Number(STAKE) + Number(WON)));
    await log.close();
    await opened({}, 3);
    await close(opensAtMs, '1.08430');
    await log.fix(settlesAtMs, '1.08421');
    expect(await outcome()).toBe(`profit 108420 108421, ${WON}`);
  });

  test('first of the settlement and then of the opening pays twice, up to what is won', async () => {
    await opened({}, 3);
    await log.fix(settlesAtMs, '1.08418', { open: 3 });
    expect(await outcome()).toBe('loss 108420 108418, 0');
    await close(settlesAtMs, '1.08420');
    expect(await outcome()).toBe(`none 108420 108420, ${STAKE}`);
    await close(opensAtMs, '1.08419');
    expect(await outcome()).toBe(`profit 108419 108420, ${WON}`);
    expect(await available()).toBe(String(10_000_000_000 - Number(STAKE) + Number(WON)));
  });
});

test('the stakes of many batches come back in one turn, up to the first that may still open', async () => {
  log = await HandLog.open({ quietMs: 500 });
  const customers = await log.customers(21);
  for (const one of customers.slice(1)) await log.buy(one);
  opensAtMs = log.nowMs + 2_000;
  await log.orders(opensAtMs - 1_000);
  const old = opensAtMs - 501;
  await log.fix(opensAtMs, '1.08420', { quotedMs: [opensAtMs, old, old] });
  await log.tick(opensAtMs, '1.08420');
  await log.buy(customers[0] as string);
  await log.orders(opensAtMs + 250);
  await log.passTo(opensAtMs + 5_500);
  expect(await voidUnopenedOrders(log.db.server)).toBe(20);
  expect(await voidUnopenedOrders(log.db.server)).toBe(0);
});

test('a product without a fix holds up no early return of the stakes of others', async () => {
  log = await HandLog.open({ quietMs: 500 }, ['EUR/USD', 'GBP/USD']);
  const [ann, bob] = (await log.customers(2)) as [string, string];
  const silent = await log.buy(ann, { minutes: 60 });
  await log.orders(log.nowMs + 250);
  await log.passTo(log.nowMs + 76_000);
  await log.tick(log.nowMs, '1.27000', { symbol: 'GBP/USD' });
  const other = await log.buy(bob, { symbol: 'GBP/USD', minutes: 60 });
  const opensMs = Math.ceil((log.nowMs + 2_000) / 1_000) * 1_000;
  await log.orders(log.nowMs + 250);
  await log.fix(opensMs, '1.27000', { symbol: 'GBP/USD', quotedMs: [opensMs, opensMs - 501, opensMs - 501] });
  await log.passTo(opensMs + 6_000);
  orderId = other;
  expect(await outcome()).toBe('no_price, 100000000');
  orderId = silent;
  expect(await outcome()).toBe('open');
});
