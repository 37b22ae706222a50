import { setTimeout as sleep } from 'node:timers/promises';
import { answerOf, get, post, postUntilHeard, register } from '@fairtick/kit/clients/api-client.ts';
import { countErrors } from '@fairtick/kit/clients/read-answers.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { LiveHouse, SYMBOL } from '@fairtick/kit/installation/live-house.ts';
import { sized } from '@fairtick/kit/size.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { endpoints } from '@fairtick/protocol';
import { describe, expect, test } from 'vitest';

/** Promises 5 and 7, short form: over HTTP, against two API processes on one database. */
const ROUNDS = sized(1, 3);
const house = forFile(() => LiveHouse.open(), closeAudited);

/** Between two attempts: twenty of them without a pause are over before a stalled log goes on. */
const pause = () => sleep(500);

const ORDER = { symbol: SYMBOL, direction: 'up', minutes: '15', amount: '100', asset: 'DEMO' };

async function demo(token: string): Promise<{ available: string; held: string }> {
  const { body } = await get(house.origin(0), 'user/getUserInfo', {}, { token });
  const { available, held } = body.data.balances.find(({ asset }: { asset: string }) => asset === 'DEMO');
  return { available, held };
}

describe('no double spend (promise 5)', () => {
  test(`of 100 orders of the whole balance at once over two processes, one is accepted; ${ROUNDS} rounds`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { token } = await register(house.origin(round));
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, place) =>
          postUntilHeard(
            house.origin(place),
            'order/create',
            { ...ORDER, amount: '10000' },
            { token, key: `spend-${place}` },
            pause,
          ),
        ),
      );
      expect([round, countErrors(answers)]).toEqual([round, { done: 1, INSUFFICIENT_BALANCE: 99 }]);
      expect(await demo(token)).toEqual({ available: '0.000000', held: '10000.000000' });
    }
  });
});

describe('a retry moves nothing twice (promise 7)', () => {
  /** Every operation that moves money: its fields, other fields, and the part of its answer that must stay the same. */
  const mutations: Readonly<
    Record<
      string,
      { fields: Record<string, string>; others: Record<string, string>; same: (data: any) => unknown }
    >
  > = {
    'order/create': {
      fields: ORDER,
      others: { ...ORDER, amount: '101' },
      same: ({ id, amount, createdAt, settlesAt, acceptance }) => ({
        id,
        amount,
        createdAt,
        settlesAt,
        acceptance,
      }),
    },
    'fund/resetDemo': { fields: {}, others: ORDER, same: (balances) => balances },
  };

  /** These first need a verified name, a destination, a picture or a deposit: their own tests make the same checks. */
  const ELSEWHERE = ['recharge/submit', 'withdraw/submit', 'profit/transferIn', 'profit/transferOut'];

  test('is tested for every operation that moves money', () => {
    const moving = Object.values(endpoints).filter((endpoint) => 'moves' in endpoint && endpoint.moves);
    expect(moving.map(({ path }) => path).sort()).toEqual([...Object.keys(mutations), ...ELSEWHERE].sort());
  });

  test.each(Object.entries(mutations))(
    '%s sent 50 times at once with one key to two processes has one effect and one answer',
    async (path, { fields, others, same }) => {
      const { token } = await register(house.origin(0));
      const before = await linesOf(token);
      const key = `once ${path}`.replaceAll(' ', '-');
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, place) =>
          postUntilHeard(house.origin(place), path, fields, { token, key }, pause),
        ),
      );
      expect(countErrors(answers)).toEqual({ done: 50 });
      expect(new Set(answers.map(({ body }) => JSON.stringify(same(body.data)))).size).toBe(1);
      expect((await linesOf(token)).length - before.length).toBeLessThanOrEqual(1);
      const after = await demo(token);

      // The same key with other fields is refused by both processes, and no money moves.
      const otherPath = path === 'fund/resetDemo' ? 'order/create' : path;
      for (const place of [0, 1]) {
        const { body } = await post(house.origin(place), otherPath, others, { token, key });
        expect(body.error).toBe('IDEMPOTENCY_MISMATCH');
      }
      expect(await demo(token)).toEqual(after);
    },
  );

  test('an answer that was lost after the commit is given again by the other process', async () => {
    const { token } = await register(house.origin(0));
    const key = 'lost-on-the-way';
    const lost = new AbortController();
    const send = () =>
      fetch(`${house.origin(0)}/api/order/create`, {
        method: 'POST',
        headers: { token, 'idempotency-key': key, language: 'en' },
        body: new URLSearchParams({ ...ORDER, lang: 'en' }),
        signal: lost.signal,
      })
        .then(answerOf)
        .catch(() => null);
    // A busy server may be late for it.
    const first = (async () => {
      while ((await send())?.body.code !== 1 && !lost.signal.aborted) await pause();
    })();
    // As a kill would: the order exists, and the client got no answer.
    const id = await seen(async () => (await idsOf(token))[0]);
    lost.abort();
    await first;
    const again = await post(house.origin(1), 'order/create', ORDER, { token, key });
    expect([again.body.code, again.body.data.id]).toEqual([1, id]);
    expect(await idsOf(token)).toEqual([id]);
    expect(await demo(token)).toEqual({ available: '9900.000000', held: '100.000000' });
  });

  async function linesOf(token: string): Promise<readonly unknown[]> {
    return (await get(house.origin(1), 'fund/log', { limit: 100 }, { token })).body.data.items;
  }

  async function idsOf(token: string): Promise<string[]> {
    const { body } = await get(house.origin(1), 'order/list', {}, { token });
    return body.data.items.map((item: { id: string }) => item.id);
  }
});
