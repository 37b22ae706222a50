import { setTimeout as sleep } from 'node:timers/promises';
import { HeldCommits, untilBlocked } from '@fairtick/kit/database/pools.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited, pricedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { OverloadError } from '../../platform/fairness/overload-error.ts';
import type { OrderRequest, PlacementAnswer, PlacementParts } from './placement-parts.ts';
import { PlacementQueue } from './placement-queue.ts';

let customer: string;
const still = forFile(() => pricedHouse(), closeAudited);

const order = (key: string, amount = '100') => ({ symbol: 'EUR/USD', amount, key });
const request = (key: string, amount?: string, who = customer) =>
  still.house.request(who, order(key, amount));
/** Sends an order again with its key, as the app does, when it waited for too long on a busy machine. */
async function placePatiently(queue: PlacementQueue, wanted: OrderRequest): Promise<PlacementAnswer> {
  for (;;) {
    try {
      return await queue.place(wanted);
    } catch (error) {
      if (!(error instanceof OverloadError)) throw error;
      await sleep(20);
    }
  }
}
const ordersOf = async (who: string) => (await still.orders()).filter(({ customerId }) => customerId === who);

describe('a key that is used again', () => {
  beforeAll(async () => {
    customer = await still.house.customer();
  });

  test('20 times at once through one process: one order, one stake, the same acceptance to the byte', async () => {
    const queue = new PlacementQueue(still.placement);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => placePatiently(queue, request('one process'))),
    );
    expect(answers.filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
    expect(answers.filter(({ kind }) => kind === 'known')).toHaveLength(19);
    const ids = new Set(answers.map((answer) => (answer.kind === 'refused' ? null : answer.orderId)));
    expect(ids.size).toBe(1);
    const shown = await Promise.all(answers.map(() => still.shown(customer, [...ids][0] as number)));
    expect(new Set(shown.map((one) => JSON.stringify(one.acceptance))).size).toBe(1);
    expect(await still.house.balance(customer)).toEqual({ available: 9_900_000_000n, held: 100_000_000n });
  });

  test('20 times at once through 20 queues of two processes: one order and one stake', async () => {
    const who = await still.house.customer();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) =>
        new PlacementQueue(still.processes[place % 2] as PlacementParts).place(request('many', '100', who)),
      ),
    );
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['accepted', ...Array(19).fill('known')]);
    expect(answers).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'known', isSame: true })]),
    );
    expect(await ordersOf(who)).toHaveLength(1);
    expect(await still.house.balance(who)).toEqual({ available: 9_900_000_000n, held: 100_000_000n });
  });

  test('while its first order is under way: the second request waits for it and moves nothing', async () => {
    const who = await still.house.customer();
    const held = new HeldCommits(still.placement.pool);
    const first = still.place([request('under way', '100', who)], { pool: held.pool });
    await held.reached;
    const second = still.place([request('under way', '100', who)]);
    await untilBlocked(still.house.db.owner);
    held.release();
    const [[accepted], [known]] = await Promise.all([first, second]);
    expect(accepted).toMatchObject({ kind: 'accepted' });
    expect(known).toEqual({
      kind: 'known',
      orderId: accepted?.kind === 'accepted' && accepted.orderId,
      isSame: true,
    });
  });

  test('with other fields: the answer names the first order and says that the fields differ', async () => {
    const [first] = await still.place([request('fields')]);
    const [other] = await still.place([request('fields', '101')]);
    expect(first?.kind).toBe('accepted');
    expect(other).toEqual({
      kind: 'known',
      orderId: first?.kind === 'accepted' ? first.orderId : 0,
      isSame: false,
    });
  });

  test('by another customer: both orders are accepted', async () => {
    const [ann, bob] = [await still.house.customer(), await still.house.customer()];
    const answers = await still.place([request('common', '100', ann), request('common', '100', bob)]);
    expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
    expect(await ordersOf(ann)).toHaveLength(1);
    expect(await ordersOf(bob)).toHaveLength(1);
  });
});

/** The id of an accepted order; NaN otherwise. */
const idOf = (answer: PlacementAnswer | undefined): number =>
  answer?.kind === 'accepted' ? answer.orderId : Number.NaN;

describe('a repeated key is answered before anything is refused', () => {
  test('an account without an available balance gets its first answer again', async () => {
    const who = await still.house.customer();
    const [first] = await still.place([request('the rest', '5000', who)]);
    await still.place([request('all', '5000', who)]);
    expect(await still.house.balance(who)).toEqual({ available: 0n, held: 10_000_000_000n });
    const [again] = await still.place([request('the rest', '5000', who)]);
    expect(again).toEqual({ kind: 'known', orderId: idOf(first), isSame: true });
    expect((await still.place([request('more', '10', who)]))[0]).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
    });
  });

  test('a request past its notAfter and during a halt gets its first answer again', async () => {
    const who = await still.house.customer();
    const [first] = await still.place([request('once', '100', who)]);
    const late = { ...request('once', '100', who), notAfterMs: still.nowMs - 1 };
    await still.house.db.owner.query('update placement_head set is_halted = true');
    const again = await still.place([late]);
    const fresh = await still.place([request('twice', '100', who)]);
    await still.house.db.owner.query('update placement_head set is_halted = false');
    expect(again).toEqual([{ kind: 'known', orderId: idOf(first), isSame: true }]);
    expect(fresh).toEqual([{ kind: 'refused', code: 'TRADING_HALTED' }]);
  });

  test('a request in a batch that took too long gets its first answer again', async () => {
    const [who, slow] = [await still.house.customer(), await still.house.customer()];
    const [first] = await still.place([request('in time', '100', who)]);
    const blocker = await still.house.db.owner.connect();
    await blocker.query('begin; lock table order_batches in share mode');
    const placing = still.place([request('in time', '100', who), request('late', '100', slow)]);
    await untilBlocked(still.house.db.owner);
    await still.stepBy(750);
    await blocker.query('commit');
    blocker.release();
    expect(await placing).toEqual([
      { kind: 'known', orderId: idOf(first), isSame: true },
      { kind: 'refused', code: 'LATE' },
    ]);
    expect(await ordersOf(slow)).toEqual([]);
  });

  test('a refusal that moved nothing is not remembered: the same key may succeed later', async () => {
    const who = await still.house.customer();
    const expired = { ...request('again', '100', who), notAfterMs: still.nowMs - 1 };
    expect(await still.place([expired])).toEqual([{ kind: 'refused', code: 'EXPIRED' }]);
    expect((await still.place([{ ...expired, notAfterMs: null }]))[0]?.kind).toBe('accepted');
  });
});

describe('an answer', () => {
  test('is given once the order is durable, and not earlier', async () => {
    const who = await still.house.customer();
    const held = new HeldCommits(still.placement.pool);
    const queue = new PlacementQueue({ ...still.placement, pool: held.pool });
    let isAnswered = false;
    const placing = queue.place(request('durable', '100', who)).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await held.reached;
    // The whole order is written but not committed: a crash would undo it.
    expect(await ordersOf(who)).toEqual([]);
    expect(isAnswered).toBe(false);
    held.release();
    expect(await placing).toMatchObject({ kind: 'accepted' });
    expect(await ordersOf(who)).toHaveLength(1);
  });
});
