import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, post, postUntilHeard, register } from '@fairtick/kit/clients/api-client.ts';
import { untilBlocked } from '@fairtick/kit/database/pools.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { LiveHouse, SYMBOL } from '@fairtick/kit/installation/live-house.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';

/**
 * Promise 19, short form: far more requests than a process accepts at once are refused cleanly, and the next request after them
 * is served.
 */
const house = forFile(() => LiveHouse.open(), closeAudited);

const ORDER = { symbol: SYMBOL, direction: 'up', minutes: '15', amount: '10', asset: 'DEMO' };

const count = (answers: readonly Answer[]): Record<string, number> => {
  const counted: Record<string, number> = {};
  for (const { status, body } of answers) {
    const what = `${status} ${body.error ?? 'done'}`;
    counted[what] = (counted[what] ?? 0) + 1;
  }
  return counted;
};

/** Only allowed answers came, and each 503 has Retry-After. */
function expectClean(answers: readonly Answer[], allowed: readonly string[]): void {
  expect(allowed).toEqual(expect.arrayContaining(Object.keys(count(answers))));
  for (const { status, headers, body } of answers) {
    if (status !== 503) continue;
    expect(headers.get('retry-after')).toBe('1');
    expect(body).toEqual({
      code: 0,
      msg: 'The service is not available right now. Please try again later',
      data: null,
      error: 'NOT_READY',
    });
  }
}

const placeOne = async (token: string, place: number) => {
  const call = { token, key: randomUUID() };
  // Twenty attempts without a pause are over before a stalled log goes on.
  const { body } = await postUntilHeard(house.origin(place), 'order/create', ORDER, call, () => sleep(500));
  expect(body.error ?? 'done').toBe('done');
};

describe('more orders of one customer than a queue holds', () => {
  test('while placement is locked, the queue waits, further orders get 503 at once, and orders go on after the lock', async () => {
    const { token } = await register(house.origin(0));
    const door = await house.db.owner.connect();
    await door.query('begin; select from placement_head for update');
    const placing = Array.from({ length: 600 }, (_, place) =>
      post(house.origin(place), 'order/create', ORDER, { token }),
    );
    // In each process the first request waits for the lock, 200 queue behind it, and the rest get 503 at once.
    let refused = 0;
    for (const one of placing) void one.then(({ status }) => (refused += Number(status === 503)));
    await untilBlocked(house.db.owner, 1);
    await seen(() => refused >= 600 - 2 * 201, { what: 'those who are told to come again' });
    await door.query('rollback');
    door.release();
    const answers = await Promise.all(placing);
    expectClean(answers, ['200 done', '200 LATE', '200 PRICE_UNAVAILABLE', '503 NOT_READY']);
    for (const place of [0, 1]) await placeOne(token, place);
  });
});

describe('a flood of passwords', () => {
  test('delays no order: logins beyond the queue get 503, and logins work afterwards', async () => {
    const customer = await register(house.origin(0));
    const attempts = 500;
    let flying = attempts;
    const flood = Array.from({ length: attempts }, (_, place) =>
      post(house.origin(0), 'user/login', { account: `nobody_${place}`, password: 'wrong' }).finally(() => {
        flying -= 1;
      }),
    );
    // Excess logins wait in a queue; an order does not wait for them, though it may be late for a busy log.
    const order = await post(house.origin(0), 'order/create', ORDER, { token: customer.token });
    expect(flying).toBeGreaterThan(0);
    expectClean([order], ['200 done', '200 LATE', '200 PRICE_UNAVAILABLE']);
    await placeOne(customer.token, 0);
    const answers = await Promise.all(flood);
    expectClean(answers, ['200 LOGIN_FAILED', '503 NOT_READY']);
    expect(count(answers)['503 NOT_READY']).toBeGreaterThan(0);
    // One address gets a fifth of the queue.
    expect(count(answers)['200 LOGIN_FAILED']).toBeGreaterThanOrEqual(40);
    const again = await post(house.origin(0), 'user/login', {
      account: customer.account,
      password: 'correct horse 9',
    });
    expect(again.body.code).toBe(1);
  });
});
