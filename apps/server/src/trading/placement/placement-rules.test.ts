import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { Trial } from '@fairtick/kit/installation/trial.ts';
import { minor } from '@fairtick/money';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OrderRequest } from './placement-parts.ts';

/** The rules by which the database judges an order, each at its boundary. */
const UNIT = 1_000_000n;
/** Two products of one exposure group. */
const SYMBOLS = ['EUR/USD', 'GBP/USD'] as const;
const still = forFile(async () => {
  const opened = await StillHouse.open({
    cycles: [
      { minutes: 1, payoutRate: '0.8' },
      { minutes: 5, payoutRate: '0.85' },
    ],
    limits: [
      {
        ...{ asset: 'DEMO', scale: 6, minBalance: '20', minPurchase: '10' },
        max: [{ upToMinutes: 60, amount: '5000' }],
      },
    ],
    levels: { bronze: 1, silver: 1, gold: 2, platinum: null },
  });
  for (const symbol of SYMBOLS) opened.quote(symbol, '1.08400', opened.nowMs + 1);
  await opened.stepBy(250);
  return opened;
});

let ann: string;
let bob: string;
let cid: string;
let dan: string;
/** The log's time, and the ids of both products. */
let now: number;
let eur: number;
let gbp: number;
beforeAll(async () => {
  [ann, bob, cid, dan] = (await still.customers(4)) as [string, string, string, string];
  [eur, gbp] = SYMBOLS.map((symbol) => still.house.product(symbol).id) as [number, number];
  now = still.nowMs;
});

type Change = Partial<OrderRequest> & { units?: bigint };
/** A request of ann's for a minute in EUR/USD, of 100 DEMO. */
function request({ units = 100n, ...change }: Change = {}): OrderRequest {
  const customerId = change.customerId ?? ann;
  const made = still.house.request(customerId, { symbol: 'EUR/USD', amount: '100' });
  return { ...made, stake: minor(units * UNIT), ...change };
}
const opening = (opensAtMs: number) => request({ named: { opensAtMs, nonce: '0'.repeat(32) } });

/** The answers to batches of which each follows the one before, while the house is as the changes say. */
const answersTo = (batches: readonly (readonly OrderRequest[])[], ...changes: string[]): Promise<string[]> =>
  Trial.run(still.house.db.owner, async (trial) => {
    await trial.change(`select trading_periods_keep('{${eur}, ${gbp}}', log_now())`, ...changes);
    const answers: string[] = [];
    for (const batch of batches) answers.push(...(await trial.place(batch)));
    return answers;
  });
const answerTo = async (one: OrderRequest, ...changes: string[]) => (await answersTo([[one]], ...changes))[0];

const product = (set: string) => `update product_states set ${set} where product_id = ${eur}`;
const period = (set: string) => `update trading_periods set ${set} where product_id = ${eur}`;
const balance = (available: bigint) =>
  `update ledger.balances set available = ${available} where owner_id = ${ann} and asset_id = 1`;
const bounds = (set: string) => `update promised_income set ${set} where asset_id = 1`;
const equity = (units: bigint) =>
  `update ledger.house_balances set balance = ${units * UNIT} where asset_id = 1 and account = ledger.trading_account()`;
const level = (name: string) => `update customers set level = '${name}' where id = ${ann}`;

describe('an order without a reason for refusal', () => {
  const orderOf = (one: OrderRequest, ...changes: string[]) =>
    Trial.run(still.house.db.owner, async (trial) => {
      await trial.change(...changes);
      expect(await trial.place([one])).toEqual(['accepted']);
      return (await trial.orders())[0];
    });

  test('is accepted with the terms of the rules, and opens at the first whole second that they allow', async () => {
    const opensAtMs = Math.ceil((now + 2_000) / 1_000) * 1_000;
    const terms = { rate: 8000, income: 80n * UNIT, opensAtMs, settlesAtMs: opensAtMs + 60_000 };
    expect(await orderOf(request())).toEqual(terms);
    // On a whole second, and a millisecond later.
    const atOnce = `update log_head set time_ms = ${opensAtMs - 2_000}`;
    const later = `update log_head set time_ms = ${opensAtMs - 1_999}`;
    const tick = product(`tick_ms = ${opensAtMs - 2_000}`);
    const entry = `update log_entries set time_ms = ${opensAtMs - 2_000} where index = (select size - 1 from log_head)`;
    expect(await orderOf(request(), tick, entry, atOnce)).toMatchObject({ opensAtMs });
    expect(await orderOf(request(), tick, entry, later)).toMatchObject({ opensAtMs: opensAtMs + 1_000 });
  });

  test('earns its income rounded down', async () => {
    const order = await orderOf(request({ stake: minor(10_000_001n), minutes: 5 }));
    expect(order).toMatchObject({ income: 8_500_000n });
  });
});

describe('refusals, each at its boundary', () => {
  test('TRADING_HALTED: a halt stops every new order', async () => {
    expect(await answerTo(request(), 'update placement_head set is_halted = true')).toBe('TRADING_HALTED');
  });

  test('TRADING_HALTED: a halt of one product stops every new order in it, and none in another', async () => {
    const halted = `update placement_head set halted_products = '{${eur}}'`;
    const other = request({ productId: gbp, customerId: bob });
    expect(await answersTo([[request(), other]], halted)).toEqual(['TRADING_HALTED', 'accepted']);
  });

  test('EXPIRED: an order is accepted at its notAfter, and not a millisecond later', async () => {
    expect(await answerTo(request({ notAfterMs: now }))).toBe('accepted');
    expect(await answerTo(request({ notAfterMs: now - 1 }))).toBe('EXPIRED');
    expect(await answerTo(request({ notAfterMs: 0 }))).toBe('EXPIRED');
  });

  test('LATE, OPENS_TOO_FAR: an order opens D to D + 10 s after it is accepted, and at no other time than its own', async () => {
    const first = Math.ceil((now + 2_000) / 1_000) * 1_000;
    const last = Math.floor((now + 12_000) / 1_000) * 1_000;
    const answers: (string | undefined)[] = [];
    for (const ms of [first - 1_000, first, last, last + 1_000]) answers.push(await answerTo(opening(ms)));
    expect(answers).toEqual(['LATE', 'accepted', 'accepted', 'OPENS_TOO_FAR']);
  });

  test('PRICE_UNAVAILABLE: the log has no writer or is silent, or the product has no rules', async () => {
    expect(await answerTo(request(), 'update log_head set holder = null')).toBe('PRICE_UNAVAILABLE');
    const silent = (ms: number) => [
      `update log_head set time_ms = ${now + ms}`,
      product(`tick_ms = ${now + ms}`),
    ];
    expect(await answerTo(request(), ...silent(500))).toBe('accepted');
    expect(await answerTo(request(), ...silent(501))).toBe('PRICE_UNAVAILABLE');
    expect(await answerTo(request({ productId: 32_000 }))).toBe('PRICE_UNAVAILABLE');
  });

  test('PRICE_UNAVAILABLE: prices are missing, or have not been back for long enough', async () => {
    expect(await answerTo(request(), product('orders_from_ms = null'))).toBe('PRICE_UNAVAILABLE');
    expect(await answerTo(request(), product(`orders_from_ms = ${now + 1}`))).toBe('PRICE_UNAVAILABLE');
    expect(await answerTo(request(), product(`orders_from_ms = ${now}`))).toBe('accepted');
  });

  test('PRICE_UNAVAILABLE: the newest tick is not current, or older than half a second', async () => {
    expect(await answerTo(request(), product(`gap_reason = 'quorum', gap_ms = ${now}`))).toBe(
      'PRICE_UNAVAILABLE',
    );
    expect(await answerTo(request(), product(`tick_ms = ${now - 501}`))).toBe('PRICE_UNAVAILABLE');
    expect(await answerTo(request(), product(`tick_ms = ${now - 500}`))).toBe('accepted');
  });

  test('PRICE_UNAVAILABLE: the first 15 s of a trading period', async () => {
    expect(await answerTo(request(), period(`from_ms = ${now - 14_999}`))).toBe('PRICE_UNAVAILABLE');
    expect(await answerTo(request(), period(`from_ms = ${now - 15_000}`))).toBe('accepted');
  });

  test('MARKET_CLOSED: outside trading hours', async () => {
    expect(await answerTo(request(), period('is_open = false'))).toBe('MARKET_CLOSED');
  });

  test('CYCLE_NOT_OFFERED: a cycle that the rules do not name, in any asset', async () => {
    for (const minutes of [0, 2, -1, 60])
      for (const assetId of [1, 2])
        expect(await answerTo(request({ minutes, assetId }))).toBe('CYCLE_NOT_OFFERED');
  });

  test('CYCLE_NOT_OFFERED: a cycle that the rules name, and that the asset has no terms of', async () => {
    expect(await answerTo(request(), 'delete from rule_terms where minutes = 1')).toBe('CYCLE_NOT_OFFERED');
  });

  test('ASSET_NOT_ACCEPTED: an asset that is unknown, or that the rules do not name', async () => {
    expect(await answerTo(request({ assetId: 9 }))).toBe('ASSET_NOT_ACCEPTED');
    expect(await answerTo(request({ assetId: 2 }))).toBe('ASSET_NOT_ACCEPTED');
  });

  test('SESSION_ENDS: an order may settle at the very end of the trading period, and not later', async () => {
    const settlesMs = Math.ceil((now + 62_000) / 1_000) * 1_000;
    expect(await answerTo(request(), period(`until_ms = ${settlesMs}`))).toBe('accepted');
    expect(await answerTo(request(), period(`until_ms = ${settlesMs - 1}`))).toBe('SESSION_ENDS');
  });

  test('AMOUNT_TOO_SMALL and AMOUNT_TOO_LARGE name the violated bound (S5-18)', async () => {
    const stakes = [10n * UNIT - 1n, 10n * UNIT, 5_000n * UNIT, 5_000n * UNIT + 1n];
    const batch = stakes.map((stake, at) =>
      request({ stake: minor(stake), customerId: [ann, bob, cid, dan][at] as string }),
    );
    expect(await answersTo([batch])).toEqual([
      'AMOUNT_TOO_SMALL 10000000',
      'accepted',
      'accepted',
      'AMOUNT_TOO_LARGE 5000000000',
    ]);
  });

  test('a level raises the largest purchase, and the highest level removes it', async () => {
    expect(await answerTo(request({ units: 10_000n }))).toBe('AMOUNT_TOO_LARGE 5000000000');
    expect(await answerTo(request({ units: 10_000n }), level('gold'))).toBe('accepted');
    expect(await answerTo(request({ units: 10_001n }), level('gold'))).toBe('AMOUNT_TOO_LARGE 10000000000');
    expect(await answerTo(request({ units: 10_001n }), level('platinum'))).toBe('INSUFFICIENT_BALANCE');
  });

  test('INSUFFICIENT_BALANCE: the whole balance may be staked, and no more', async () => {
    expect(await answerTo(request(), balance(100n * UNIT))).toBe('accepted');
    expect(await answerTo(request(), balance(100n * UNIT - 1n))).toBe('INSUFFICIENT_BALANCE');
    const none = `delete from ledger.balances where owner_id = ${ann} and asset_id = 1`;
    expect(await answerTo(request(), none)).toBe('INSUFFICIENT_BALANCE');
  });

  test('BALANCE_TOO_LOW: a balance below the minimum for trading, though it would cover the stake (S5-18)', async () => {
    const small = request({ units: 10n });
    expect(await answerTo(small, balance(20n * UNIT))).toBe('accepted');
    expect(await answerTo(small, balance(20n * UNIT - 1n))).toBe('BALANCE_TOO_LOW 20000000');
  });
});

describe('limits and breaks that customers set for themselves', () => {
  const closed = (kind: string) =>
    `insert into protected_customers (customer_id, closed_kind, closed_at, closed_until) values (${ann}, '${kind}', now(), now() + interval '1 day')`;
  const limit = (kind: string, most: bigint) =>
    `with p as (insert into protected_customers (customer_id) values (${ann}) returning customer_id)
     insert into customer_limits (customer_id, asset_id, kind, per, amount) select customer_id, 1, '${kind}', 'day', ${most} from p`;

  test('a break or self-exclusion is the first reason for refusal, and affects its own customer only', async () => {
    const both = [request(), request({ customerId: bob })];
    const halted = 'update placement_head set is_halted = true';
    expect(await answersTo([both], closed('break'), halted)).toEqual(['ON_BREAK', 'TRADING_HALTED']);
    expect(await answersTo([both], closed('exclusion'))).toEqual(['SELF_EXCLUDED', 'accepted']);
  });

  test('a limit can be used up exactly and no further, over all orders', async () => {
    const batches = [100n, 100n, 50n, 10n].map((units) => [request({ units })]);
    expect(await answersTo(batches, limit('stake', 250n * UNIT))).toEqual([
      ...Array(3).fill('accepted'),
      'STAKE_LIMIT 0',
    ]);
    expect(await answerTo(request(), limit('loss', 100n * UNIT - 1n))).toBe('LOSS_LIMIT 99999999');
  });
});

/** An earlier order whose win earns this much in the minute of an order of a minute. */
const takenBefore = (income: bigint) =>
  `insert into minute_incomes (minute_ms, asset_id, products, incomes)
   values (minute_ms((log_now() + 2999) / 1000 * 1000 + 60000), 1, array[${eur}], array[${income}])`;
const crowd = () => [ann, bob, cid].map((customerId) => request({ customerId }));

describe('EXPOSURE_LIMIT', () => {
  const limit = bounds(`product_limit = ${800n * UNIT}`);
  const lastOne = ['accepted', 'accepted', 'EXPOSURE_LIMIT'];

  test('a product’s limit of one minute holds to the smallest unit', async () => {
    // A stake of 100 earns 80.
    expect(await answerTo(request(), limit, takenBefore(720n * UNIT))).toBe('accepted');
    expect(await answerTo(request(), limit, takenBefore(720n * UNIT + 1n))).toBe('EXPOSURE_LIMIT');
  });

  test('orders of a batch add up', async () => {
    expect(await answersTo([crowd()], limit, takenBefore(640n * UNIT))).toEqual(lastOne);
  });

  test('an order that does not fit leaves the room to those after it', async () => {
    const units = [200n, 100n, 30n, 25n];
    const batch = [ann, bob, cid, dan].map((customerId, at) =>
      request({ customerId, units: units[at] as bigint }),
    );
    const room = [bounds(`product_limit = ${2_000n * UNIT}`), takenBefore(1_900n * UNIT)];
    expect(await answersTo([batch], ...room)).toEqual([
      'EXPOSURE_LIMIT',
      'accepted',
      'EXPOSURE_LIMIT',
      'accepted',
    ]);
  });

  test('orders in the other direction make no room, because losers pay nothing when a tick is missing', async () => {
    const batch = [request(), request({ customerId: bob, direction: 'down' }), request({ customerId: cid })];
    expect(await answersTo([batch], limit, takenBefore(640n * UNIT))).toEqual(lastOne);
  });

  test('each settlement minute has a limit of its own', async () => {
    const batch = [
      request({ minutes: 5, units: 90n }),
      request({ customerId: bob }),
      request({ customerId: cid }),
    ];
    expect(await answersTo([batch], limit, takenBefore(720n * UNIT))).toEqual(lastOne);
  });

  test('correlated products share their group’s limit', async () => {
    const batch = [request(), request({ customerId: bob, productId: gbp }), request({ customerId: cid })];
    const ofGroup = bounds(`group_limit = ${800n * UNIT}`);
    expect(await answersTo([batch], ofGroup, takenBefore(640n * UNIT))).toEqual(lastOne);
  });

  test('open payouts never pass the house’s equity', async () => {
    const room = (left: bigint) => [equity(10_000n), bounds(`amount = ${10_000n * UNIT - left}`)];
    const batch = [request(), request({ customerId: bob, direction: 'down' }), request({ customerId: cid })];
    expect(await answersTo([batch], ...room(160n * UNIT))).toEqual(lastOne);
    expect(await answersTo([batch], ...room(80n * UNIT - 1n))).toEqual(Array(3).fill('EXPOSURE_LIMIT'));
    expect(await answerTo(request(), ...room(-1n))).toBe('EXPOSURE_LIMIT');
  });
});

describe('SHARE_LIMIT: one customer takes at most a tenth of a bound of the house', () => {
  test.each([
    ['of a product’s limit', () => bounds(`product_limit = ${1_600n * UNIT}`)],
    ['of a group’s limit', () => bounds(`group_limit = ${1_600n * UNIT}`)],
    ['of the equity', () => equity(1_600n)],
  ])('a customer takes a tenth %s and leaves the rest to others', async (_bound, change) => {
    const rest = [request({ units: 10n }), ...crowd().slice(1)];
    expect(await answersTo([[request()], [request({ direction: 'down' })], rest], change())).toEqual([
      'accepted',
      'accepted',
      'SHARE_LIMIT 1',
      'accepted',
      'accepted',
    ]);
  });

  test('earlier orders count: those of the same minute and product for a limit, all of them for the equity', async () => {
    const after = async (next: Change, change: string) =>
      (await answersTo([[request({ units: 125n })], [request(next)]], change))[1];
    const limit = bounds(`product_limit = ${1_600n * UNIT}`);
    // What is left is 60, and a stake of 75.000001 earns 60.0000008.
    expect(await after({}, limit)).toBe('SHARE_LIMIT 75000001');
    expect(await after({ productId: gbp }, limit)).toBe('accepted');
    expect(await after({ minutes: 5 }, limit)).toBe('accepted');
    expect(await after({ minutes: 5 }, equity(1_600n))).toMatch(/^SHARE_LIMIT/);
  });

  test('the refusal names the largest stake that is left, and an order that exceeds both bounds is told of the house’s', async () => {
    const small = bounds(`product_limit = ${800n * UNIT}`);
    expect(await answerTo(request({ units: 200n }), small)).toBe('SHARE_LIMIT 100000001');
    expect(await answerTo(request({ units: 200n }), small, takenBefore(700n * UNIT))).toBe('EXPOSURE_LIMIT');
  });

  test('refused orders of a batch use up no room', async () => {
    const batch = [request({ units: 200n }), request({ customerId: bob }), request({ customerId: cid })];
    const change = bounds(`product_limit = ${800n * UNIT}`);
    expect(await answersTo([batch], change, takenBefore(640n * UNIT))).toEqual([
      'SHARE_LIMIT 100000001',
      'accepted',
      'accepted',
    ]);
  });
});
