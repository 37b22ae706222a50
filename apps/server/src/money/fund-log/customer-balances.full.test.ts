import { randomBytes } from 'node:crypto';
import { get, post, register } from '@fairtick/kit/clients/api-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownFloor } from '@fairtick/kit/fixtures/houses.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { parseDecimal } from '@fairtick/money';
import { describe, expect, test } from 'vitest';

const floor = ownFloor();
const second = forFile(() => startApi(floor.house.db));

interface Entry {
  readonly id: string;
  readonly time: number;
  readonly type: string;
  readonly result: string;
  readonly asset: string;
  readonly amount: string;
  readonly balance: string | null;
  readonly ref: string;
}

async function log(token: string, filter: Record<string, string | number> = {}) {
  const { body } = await get(floor.origin, 'fund/log', filter, { token });
  expect(body.error).toBeUndefined();
  return body.data as { items: Entry[]; nextCursor: string | null };
}

const key = () => randomBytes(12).toString('hex');

/** One order won, one lost, one given back, one still open. */
async function trade(token: string): Promise<string[]> {
  const place = async (direction: string, amount: string) =>
    (await floor.order(token, { direction, amount })).body.data.id as string;
  await floor.tick({ 'EUR/USD': '1.08400' });
  const ids = [await place('up', '100'), await place('down', '200')];
  await floor.openAt('EUR/USD', '1.08400');
  await floor.settleAt('EUR/USD', '1.08500');
  await floor.tick();
  ids.push(await place('up', '300'));
  await floor.openAt('EUR/USD', '1.08500');
  await floor.settleAt('EUR/USD', '1.08500');
  await floor.tick();
  ids.push(await place('up', '400'));
  return ids;
}

describe('the fund log', () => {
  test('the fund log lists every movement with the available balance after it, newest first (S4-12, S4-13, S4-17, S7-29)', async () => {
    const { token } = await register(floor.origin);
    const [won, lost, even, open] = await trade(token);
    const { items, nextCursor } = await log(token);
    expect(nextCursor).toBeNull();
    const lines = items.map(({ type, amount, balance, ref }) => [type, amount, balance, ref]);
    // Orders that settle together keep their order.
    expect(lines).toEqual([
      ['purchase', '-400.000000', '9480.000000', `order:${open}`],
      ['settlement', '300.000000', '9880.000000', `order:${even}`],
      ['purchase', '-300.000000', '9580.000000', `order:${even}`],
      ['settlement', '0.000000', '9880.000000', `order:${lost}`],
      ['settlement', '180.000000', '9880.000000', `order:${won}`],
      ['purchase', '-200.000000', '9700.000000', `order:${lost}`],
      ['purchase', '-100.000000', '9900.000000', `order:${won}`],
      ['deposit', '10000.000000', '10000.000000', expect.stringMatching(/^demo:/)],
    ]);
    expect(items.every(({ result, asset }) => result === 'success' && asset === 'DEMO')).toBe(true);
    let balance = 0n;
    for (const { amount, balance: told } of items.toReversed()) {
      const value = parseDecimal(amount.replace('-', ''), 6) as bigint;
      balance += amount.startsWith('-') ? -value : value;
      expect(parseDecimal(told as string, 6)).toBe(balance);
    }
    const { body } = await get(floor.origin, 'user/getUserInfo', {}, { token });
    expect(body.data.balances[0]).toMatchObject({ available: '9480.000000', held: '400.000000' });
  });

  test('pages of any size list every line once while new lines are added', async () => {
    const { token } = await register(floor.origin);
    await trade(token);
    const all = (await log(token)).items.map(({ id }) => id);
    for (const limit of [1, 2, 3, 7, 8, 100]) {
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: { items: Entry[]; nextCursor: string | null } = await log(token, {
          limit,
          ...(cursor ? { cursor } : {}),
        });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
        if (limit === 2) await floor.order(token, { amount: '10' });
      }
      // Lines from before this round come first; lines added during it do not appear.
      expect([limit, seen.slice(-all.length)]).toEqual([limit, all]);
      expect(new Set(seen).size).toBe(seen.length);
    }
  });

  test('the fund log filters by type, result, asset and time (S7-29)', async () => {
    const { token } = await register(floor.origin);
    const [won] = await trade(token);
    const typesOf = async (filter: Record<string, string | number>) =>
      (await log(token, filter)).items.map(({ type }) => type);
    expect(await typesOf({ type: 'purchase' })).toEqual(['purchase', 'purchase', 'purchase', 'purchase']);
    expect(await typesOf({ type: 'settlement', limit: 2 })).toEqual(['settlement', 'settlement']);
    expect(await typesOf({ type: 'deposit' })).toEqual(['deposit']);
    for (const type of ['withdrawal', 'earnIn', 'earnOut', 'interest'])
      expect(await typesOf({ type })).toEqual([]);
    expect(await typesOf({ result: 'success' })).toHaveLength(8);
    for (const result of ['failure', 'review', 'ignored']) expect(await typesOf({ result })).toEqual([]);
    expect(await typesOf({ asset: 'DEMO' })).toHaveLength(8);
    expect(await typesOf({ asset: 'USDT' })).toEqual([]);
    expect(await typesOf({ asset: 'XYZ' })).toEqual([]);
    const { items } = await log(token);
    const bought = items.find(({ type, ref }) => type === 'purchase' && ref === `order:${won}`) as Entry;
    expect((await log(token, { from: bought.time, to: bought.time })).items).toContainEqual(bought);
    expect(await typesOf({ to: bought.time - 1 })).toEqual(['deposit']);
    expect(await typesOf({ from: Date.now() + 3_600_000 })).toEqual([]);
    expect(await typesOf({ from: 2, to: 1 })).toEqual([]);
    for (const filter of [
      { type: 'gift' },
      { result: 'maybe' },
      { from: '-1' },
      { to: '1e3' },
      { limit: 0 },
      { limit: 101 },
    ]) {
      const { body } = await get(floor.origin, 'fund/log', filter, { token });
      expect([filter, body.error]).toEqual([filter, 'INVALID_VALUE']);
    }
    for (const cursor of ['', 'a b', '0', '-1', '01', '1.5', '99999999999999999999', 'x'.repeat(65)]) {
      const { body } = await get(floor.origin, 'fund/log', { cursor }, { token });
      expect([cursor, body.error]).toEqual([cursor, 'INVALID_CURSOR']);
    }
  });

  test('customers see only their own lines, also with another customer’s cursor', async () => {
    const mine = await register(floor.origin);
    const theirs = await register(floor.origin);
    await trade(mine.token);
    const cursor = (await log(mine.token, { limit: 1 })).nextCursor as string;
    expect((await log(theirs.token)).items.map(({ type }) => type)).toEqual(['deposit']);
    const foreign = await log(theirs.token, { cursor });
    expect(foreign.items.every(({ ref }) => ref.startsWith('demo:'))).toBe(true);
  });
});

describe('practice money', () => {
  const reset = (origin: string, token: string, options: { key?: string } = {}) =>
    post(origin, 'fund/resetDemo', {}, { token, ...options });

  /** Places an order that loses its stake. */
  const lose = async (token: string, amount: string) => {
    await floor.tick();
    await floor.order(token, { amount, direction: 'down' });
    await floor.openAt('EUR/USD', '1.08400');
    await floor.settleAt('EUR/USD', '1.08500');
    await floor.tick({ 'EUR/USD': '1.08400' });
  };

  test('a reset brings practice money to 10 000, held stakes included, from above or below, and appears in the fund log', async () => {
    const { token } = await register(floor.origin);
    await floor.order(token, { amount: '250' });
    const { body } = await reset(floor.origin, token);
    expect(body.data[0]).toEqual({
      asset: 'DEMO',
      available: '9750.000000',
      held: '250.000000',
      earning: '0.000000',
    });
    await floor.openAt('EUR/USD', '1.08400');
    await floor.settleAt('EUR/USD', '1.08500');
    expect((await reset(floor.origin, token)).body.data[0].available).toBe('10000.000000');
    await lose(token, '250');
    expect((await reset(floor.origin, token)).body.data[0].available).toBe('10000.000000');
    const { items } = await log(token);
    expect(
      items.filter(({ ref }) => ref.startsWith('demo:')).map(({ type, amount }) => [type, amount]),
    ).toEqual([
      ['deposit', '250.000000'],
      ['withdrawal', '-200.000000'],
      ['deposit', '10000.000000'],
    ]);
    expect(await floor.house.violations()).toEqual([]);
  });

  test('fifty concurrent resets with one key, at two processes, reset once', async () => {
    const { token } = await register(floor.origin);
    await lose(token, '250');
    const oneKey = key();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, place) =>
        reset((place % 2 ? floor.api : second).origin, token, { key: oneKey }),
      ),
    );
    expect(answers.every(({ body }) => body.code === 1)).toBe(true);
    expect((await log(token)).items.filter(({ ref }) => ref.startsWith('demo:'))).toHaveLength(2);
    await lose(token, '70');
    const again = await reset(floor.origin, token, { key: oneKey });
    expect(again.body.data[0].available).toBe('9930.000000');
    expect((await reset(floor.origin, token, { key: key() })).body.data[0].available).toBe('10000.000000');
  });

  test('more than twenty resets a day are refused until the next day in UTC', async () => {
    const { id, token } = await register(floor.origin);
    await lose(token, '10');
    await floor.house.db.owner.query(
      `update ledger.practice_resets set day = (now() at time zone 'utc')::date, resets = 20 where owner_id = $1`,
      [id],
    );
    const oneKey = key();
    for (const { origin } of [floor.api, second]) {
      const { body } = await reset(origin, token, { key: oneKey });
      expect([body.code, body.error]).toEqual([0, 'TOO_MANY_RESETS']);
      expect(body.msg).toContain('20 times a day (UTC)');
    }
    expect((await log(token)).items.filter(({ ref }) => ref.startsWith('demo:'))).toHaveLength(1);
    await floor.house.db.owner.query('update ledger.practice_resets set day = day - 1 where owner_id = $1', [
      id,
    ]);
    // A refused request has not used up its key.
    expect((await reset(floor.origin, token, { key: oneKey })).body.data[0].available).toBe('10000.000000');
  });

  test('of a concurrent reset and order with the same key, exactly one is done', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { token } = await register(floor.origin);
      await floor.order(token, { amount: '250' });
      const oneKey = key();
      const [order, back] = await Promise.all([
        floor.order(token, { amount: '100' }, { key: oneKey }),
        reset(second.origin, token, { key: oneKey }),
      ]);
      const done = [order, back].filter(({ body }) => body.code === 1);
      expect(done).toHaveLength(1);
      expect([order, back].map(({ body }) => body.error)).toContain('IDEMPOTENCY_MISMATCH');
    }
    expect(await floor.house.violations()).toEqual([]);
  });
});
