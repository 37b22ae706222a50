import { setTimeout as sleep } from 'node:timers/promises';
import { transactionsOf } from '@fairtick/kit/database/database.ts';
import { untilBlocked } from '@fairtick/kit/database/pools.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited, pricedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { minor } from '@fairtick/money';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { OverloadError } from '../../platform/fairness/overload-error.ts';
import type { OrderRequest, PlacementAnswer, PlacementParts } from './placement-parts.ts';
import { PlacementQueue } from './placement-queue.ts';

const still = forFile(() => pricedHouse(), closeAudited);

const request = (customerId: string, amount = '10') =>
  still.house.request(customerId, { symbol: 'EUR/USD', amount });
const kindsOf = (answers: readonly PlacementAnswer[]) =>
  answers.map((answer) => (answer.kind === 'refused' ? answer.code : answer.kind));
const count = (kinds: readonly string[], kind: string) => kinds.filter((one) => one === kind).length;

/** Places alternately through two processes. */
function twoProcesses(): (request: OrderRequest) => Promise<PlacementAnswer> {
  const queues = still.processes.map((parts) => new PlacementQueue(parts));
  let placed = 0;
  return (request) => placePatiently(queues[placed++ % 2] as PlacementQueue, request);
}

/** Sends an order again with its key, as the app does, when it waited for too long on a busy machine. */
async function placePatiently(queue: PlacementQueue, request: OrderRequest): Promise<PlacementAnswer> {
  for (;;) {
    try {
      return await queue.place(request);
    } catch (error) {
      if (!(error instanceof OverloadError)) throw error;
      // A queue that refuses at once would otherwise be asked for ever, without a turn for the batch in flight.
      await sleep(20);
    }
  }
}

test('an order whose session ended or rested for an hour is refused alone, and its money stays', async () => {
  const [ann, bob, cid, dan] = (await still.customers(4)) as [string, string, string, string];
  const { owner } = still.house.db;
  await owner.query('delete from sessions where customer_id = $1', [bob]);
  await owner.query('update sessions set fresh_until = now() where customer_id = $1', [cid]);
  const answers = await still.place([ann, bob, cid, dan].map((customer) => request(customer)));
  expect(kindsOf(answers)).toEqual(['accepted', 'REAUTH_REQUIRED', 'REAUTH_REQUIRED', 'accepted']);
  expect(kindsOf(await still.place([request(bob)]))).toEqual(['REAUTH_REQUIRED']);
  for (const customer of [bob, cid])
    expect(await still.house.balance(customer)).toEqual({ available: 10_000_000_000n, held: 0n });
});

describe('one balance and many orders', () => {
  test('exactly one of 100 orders of more than half the balance is accepted through two processes at once', async () => {
    const customer = await still.house.customer();
    const place = twoProcesses();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        place(still.house.request(customer, { symbol: 'EUR/USD', amount: '5000.01', minutes: 15 })),
      ),
    );
    expect(count(kindsOf(answers), 'accepted')).toBe(1);
    expect(count(kindsOf(answers), 'INSUFFICIENT_BALANCE')).toBe(99);
    expect(await still.house.balance(customer)).toEqual({ available: 4_999_990_000n, held: 5_000_010_000n });
  });

  test('exactly one of 100 orders of more than half the balance is accepted through four processes at once', async () => {
    const customer = await still.house.customer();
    const queues = [...still.processes, ...still.processes].map((parts) => new PlacementQueue(parts));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, place) =>
        placePatiently(
          queues[place % 4] as PlacementQueue,
          still.house.request(customer, { symbol: 'EUR/USD', amount: '5000.01', minutes: 15 }),
        ),
      ),
    );
    expect(count(kindsOf(answers), 'accepted')).toBe(1);
    expect(await still.house.balance(customer)).toEqual({ available: 4_999_990_000n, held: 5_000_010_000n });
  });

  test('as many orders are accepted as the balance covers, to the last unit', async () => {
    const customer = await still.house.customer();
    const place = twoProcesses();
    const answers = await Promise.all(Array.from({ length: 30 }, () => place(request(customer, '400'))));
    expect(count(kindsOf(answers), 'accepted')).toBe(25);
    expect(count(kindsOf(answers), 'INSUFFICIENT_BALANCE')).toBe(5);
    expect(await still.house.balance(customer)).toEqual({ available: 0n, held: 10_000_000_000n });
  });
});

describe('a request that the database refuses', () => {
  const poisons: readonly [string, Partial<OrderRequest>][] = [
    ['more minutes than there are cycles', { minutes: 99_999 }],
    ['a stake beyond a bigint', { stake: minor(10n ** 30n) }],
    ['a product that is no product', { productId: 70_000 }],
    ['a root that is no hash', { seen: { size: 1, root: 'zz' } }],
    ['a root of a byte', { seen: { size: 1, root: '00' } }],
    ['a size below zero', { seen: { size: -1, root: '00'.repeat(32) } }],
    ['an opening time off the grid', { named: { opensAtMs: 1, nonce: '0'.repeat(32) } }],
  ];

  test.each(poisons)('%s does not affect other orders of its batch', async (_what, change) => {
    const customers = await still.customers(20);
    await still.tick('EUR/USD', '1.08400');
    const queue = new PlacementQueue(still.placement);
    const placing = customers.map((customer, place) =>
      queue.place(place === 7 ? { ...request(customer), ...change } : request(customer)),
    );
    const answers = await Promise.allSettled(placing);
    const others = answers.filter((_answer, place) => place !== 7);
    expect(others.every((answer) => answer.status === 'fulfilled' && answer.value.kind === 'accepted')).toBe(
      true,
    );
    const poisoned = answers[7];
    expect(poisoned?.status === 'fulfilled' ? poisoned.value.kind : poisoned?.status).not.toBe('accepted');
    const balance = await still.house.balance(customers[7] as string);
    expect(balance).toEqual({ available: 10_000_000_000n, held: 0n });
  });

  test('is isolated in a few transactions, without placing every order alone', async () => {
    const customers = await still.customers(256);
    let placed = 0;
    const transactions = await transactionsOf(still.house.db, async (pool) => {
      const queue = new PlacementQueue({ ...still.placement, pool });
      const answers = await Promise.allSettled(
        customers.map((customer, place) =>
          queue.place(place === 100 ? { ...request(customer), productId: 70_000 } : request(customer)),
        ),
      );
      placed = answers.filter((answer) => answer.status === 'fulfilled').length;
    });
    expect(placed).toBe(255);
    expect(transactions).toBeLessThanOrEqual(40);
  });
});

describe('a database that refuses a batch', () => {
  test('is not asked again for each order alone: all orders fail at once', async () => {
    const customers = await still.customers(40);
    const blocker = await still.house.db.owner.connect();
    await blocker.query('begin; select * from placement_head for update');
    const pool = new pg.Pool({ ...still.house.db.serverAddress, max: 2, statement_timeout: 1_000 });
    const sizes: number[] = [];
    const place = async (parts: PlacementParts, requests: readonly OrderRequest[]) => {
      sizes.push(requests.length);
      return still.place(requests, parts);
    };
    const queue = new PlacementQueue({ ...still.placement, pool }, { place });
    const answers = await Promise.allSettled(customers.map((customer) => queue.place(request(customer))));
    await blocker.query('rollback');
    blocker.release();
    await pool.end();
    expect(answers.every((answer) => answer.status === 'rejected' && answer.reason.code === '57014')).toBe(
      true,
    );
    expect(sizes).toEqual([40]);
    for (const customer of customers) {
      expect(await still.house.balance(customer)).toEqual({ available: 10_000_000_000n, held: 0n });
    }
  });

  test('gets the batch again after a deadlock, and the orders are accepted', async () => {
    const [ann, bob] = (await still.customers(2)) as [string, string];
    const [low, high] = [ann, bob].sort((a, b) => Number(a) - Number(b)) as [string, string];
    const lock = 'select available from ledger.balances where owner_id = $1 and asset_id = 1 for update';
    const rude = await still.house.db.owner.connect();
    // The other transaction detects the deadlock late, so that PostgreSQL cancels the placement.
    await rude.query(`set deadlock_timeout = '20s'`).catch(() => {});
    await rude.query('begin');
    await rude.query(lock, [high]);
    const queue = new PlacementQueue(still.placement);
    const placing = Promise.all([low, high].map((customer) => queue.place(request(customer))));
    await untilBlocked(still.house.db.owner);
    const second = rude.query(lock, [low]).catch(() => null);
    await second;
    await rude.query('rollback');
    rude.release();
    expect(kindsOf(await placing)).toEqual(['accepted', 'accepted']);
  });
});

describe('the queue with a stopped clock', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('refuses further orders of a customer whose line is full, and no other customer’s', async () => {
    const [busy, other] = (await still.customers(2)) as [string, string];
    const queue = new PlacementQueue(still.placement);
    const answers = await Promise.allSettled([
      ...Array.from({ length: 205 }, () => queue.place(request(busy))),
      queue.place(request(other)),
    ]);
    const overloaded = answers.filter((answer) => answer.status === 'rejected');
    expect(overloaded).toHaveLength(5);
    expect(overloaded.every((answer) => answer.reason instanceof OverloadError)).toBe(true);
    expect(answers.at(-1)).toMatchObject({ status: 'fulfilled', value: { kind: 'accepted' } });
  });

  test('refuses orders while two full batches wait, and accepts them afterwards', async () => {
    const customers = await still.customers(12);
    const last = customers.pop() as string;
    const queue = new PlacementQueue(still.placement);
    // 11 queues of 187 orders are nine more than two batches of 1 024.
    const answers = await Promise.allSettled([
      ...Array.from({ length: 187 }, () =>
        customers.map((customer) => queue.place(request(customer))),
      ).flat(),
      queue.place(request(last)),
    ]);
    const overloaded = answers.filter((answer) => answer.status === 'rejected');
    expect(overloaded).toHaveLength(10);
    expect(overloaded.every((answer) => answer.reason instanceof OverloadError)).toBe(true);
    expect(answers.at(-1)?.status).toBe('rejected');
    expect((await queue.place(request(last))).kind).toBe('accepted');
  });
});

describe('the queue', () => {
  // On a busy machine the last of a hundred batches would begin after the three seconds for which an order waits.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('places one order per customer in each batch, so that a customer’s many orders do not delay the others', async () => {
    const busy = await still.house.customer();
    const others = await still.customers(30);
    const batches: string[][] = [];
    const place = async (parts: PlacementParts, requests: readonly OrderRequest[]) => {
      batches.push(requests.map(({ customerId }) => customerId));
      return still.place(requests, parts);
    };
    const queue = new PlacementQueue(still.placement, { place });
    const busyAnswers = Array.from({ length: 100 }, () => queue.place(request(busy)));
    const otherAnswers = others.map((customer) => queue.place(request(customer)));
    expect(kindsOf(await Promise.all(otherAnswers))).toEqual(Array(30).fill('accepted'));
    // All other customers were in the first batch, although a hundred orders were queued before theirs.
    expect(batches[0]?.toSorted()).toEqual([busy, ...others].sort());
    expect(count(kindsOf(await Promise.all(busyAnswers)), 'accepted')).toBe(100);
    for (const batch of batches) expect(new Set(batch).size).toBe(batch.length);
    expect(batches).toHaveLength(100);
  });

  test('places a customer’s orders in the order in which they came', async () => {
    const customer = await still.house.customer();
    const queue = new PlacementQueue(still.placement);
    const amounts = ['4000', '5000', '2000', '1000', '10'];
    const kinds = kindsOf(await Promise.all(amounts.map((amount) => queue.place(request(customer, amount)))));
    expect(kinds).toEqual([
      'accepted',
      'accepted',
      'INSUFFICIENT_BALANCE',
      'accepted',
      'INSUFFICIENT_BALANCE',
    ]);
  });

  test('refuses an order that would wait more than two seconds or has waited three, and accepts orders once batches are quick again', async () => {
    const [first, second, third] = (await still.customers(3)) as [string, string, string];
    const began = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const place = async (parts: PlacementParts, requests: readonly OrderRequest[]) => {
      began.resolve();
      await held.promise;
      return still.place(requests, parts);
    };
    const queue = new PlacementQueue(still.placement, { place });
    const slow = queue.place(request(first));
    await began.promise;
    const tooLong = queue.place(request(third));
    vi.advanceTimersByTime(1_900);
    const inTime = queue.place(request(second));
    vi.advanceTimersByTime(200);
    await expect(queue.place(request(second))).rejects.toBeInstanceOf(OverloadError);
    vi.advanceTimersByTime(1_000);
    // The batch before it is still in flight.
    await expect(tooLong).rejects.toBeInstanceOf(OverloadError);
    held.resolve();
    expect(kindsOf(await Promise.all([slow, inTime]))).toEqual(['accepted', 'accepted']);
    await queue.idle();
    expect((await queue.place(request(second))).kind).toBe('accepted');
  });

  test('is idle once every order has an answer', async () => {
    const customer = await still.house.customer();
    const queue = new PlacementQueue(still.placement);
    let answered = 0;
    const placing = Array.from({ length: 5 }, () =>
      queue.place(request(customer)).then(() => (answered += 1)),
    );
    await queue.idle();
    await Promise.all(placing);
    expect(answered).toBe(5);
    await queue.idle();
  });
});
