import { get, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { TradingFloor } from '@fairtick/kit/installation/trading-floor.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { hashToken } from '../../customers/identity/passwords.ts';
import { fireAlerts } from './fire-alerts.ts';

let ann: Registered;
const floor = forFile(() => TradingFloor.open());
beforeAll(async () => {
  await price('1.08400');
});

const price = (text: string) => floor.tick({ 'EUR/USD': text });
const fire = () => fireAlerts(floor.house.db.server);
const ask = (path: string, fields: Record<string, string>, who = ann) =>
  post(floor.origin, `alert/${path}`, fields, { token: who.token });
const add = async (mark: string, who = ann, symbol = 'EUR/USD') => {
  const { body } = await ask('add', { symbol, price: mark }, who);
  expect(body.error).toBeUndefined();
  return body.data;
};
const list = async (who = ann) => (await get(floor.origin, 'alert/list', {}, { token: who.token })).body.data;
const inbox = async (who = ann) =>
  (await get(floor.origin, 'notice/list', {}, { token: who.token })).body.data.items;

describe('a price alert', () => {
  test('has a direction and fires once, at the first logged tick that reaches it', async () => {
    ann = await register(floor.origin);
    const reader = await StreamClient.open(floor.origin, ann.token);
    await reader.sub('notices');
    const rise = await add('1.08500');
    const fall = await add('1.08300');
    expect([rise.direction, rise.price, rise.fired, fall.direction]).toEqual(['up', '1.08500', null, 'down']);
    await price('1.08499');
    expect(await fire()).toBe(0);
    await price('1.08520');
    await price('1.08600');
    // Two engines run at once; only one of them fires the alert.
    const told = await Promise.all([fire(), fire()]);
    expect(told.toSorted()).toEqual([0, 1]);
    const { waiting, fired } = await list();
    expect(waiting.map(({ id }: { id: string }) => id)).toEqual([fall.id]);
    expect(fired).toMatchObject([{ id: rise.id, fired: { price: '1.08520' } }]);
    const { rows } = await floor.house.db.server.query(
      'select price, time_ms from log_entries where index = $1',
      [fired[0].fired.index],
    );
    expect([rows[0].price, Number(rows[0].time_ms)]).toEqual(['108520', fired[0].fired.time]);
    const [notice, ...others] = await inbox();
    expect(others).toEqual([]);
    expect(notice).toMatchObject({
      kind: 'alert.rose',
      title: 'EUR/USD has risen to 1.08500',
      isRead: false,
    });
    expect(notice.text).toContain('1.08520');
    const streamed = await reader.next(({ topic, type }) => topic === 'notices' && type === 'change');
    expect(streamed.data.id).toBe(notice.id);
    // The price crosses the mark again: a fired alert does not fire twice.
    for (const text of ['1.08400', '1.08700']) await price(text);
    expect(await fire()).toBe(0);
    await price('1.08300');
    expect(await fire()).toBe(1);
    expect((await inbox()).map(({ kind }: { kind: string }) => kind)).toEqual(['alert.fell', 'alert.rose']);
    await reader.close();
  });

  test('ignores ticks from before it was added, and fires at a later one even if the engine paused', async () => {
    ann = await register(floor.origin);
    const early = await register(floor.origin);
    await price('1.09000');
    // Another alert already waits, so the engine's mark stands before the ticks that follow.
    await add('1.50000', early);
    await price('1.10000');
    await price('1.09000');
    await add('1.09500');
    expect(await fire()).toBe(0);
    expect((await list()).waiting).toHaveLength(1);
    // The engine does not run while the price rises and falls.
    await price('1.09600');
    await price('1.09000');
    await price('1.09000');
    expect(await fire()).toBe(1);
    expect((await list()).fired[0].fired.price).toBe('1.09600');
  });

  test('fires at a tick that was logged while the alert was being written', async () => {
    ann = await register(floor.origin);
    await price('1.09000');
    // Another alert already waits, so the engine has a reason to read the log.
    await add('1.50000', await register(floor.origin));
    const { rows } = await floor.house.db.server.query(`select id from products where symbol = 'EUR/USD'`);
    const writer = await floor.house.db.server.connect();
    try {
      await writer.query('begin');
      await writer.query('select * from alert_add($1, $2, $3)', [hashToken(ann.token), rows[0].id, 109_500]);
      await price('1.09600');
      await price('1.09000');
      expect(await fire()).toBe(0);
      await writer.query('commit');
    } finally {
      // Closed instead of returned to the pool: if the test fails, its transaction is still open.
      writer.release(true);
    }
    expect(await fire()).toBe(1);
    expect((await list()).fired[0].fired.price).toBe('1.09600');
  });

  test('fires at the right tick when the engine reads the log in several steps', async () => {
    ann = await register(floor.origin);
    await price('1.09000');
    await add('1.09900');
    for (const text of ['1.09100', '1.09200', '1.09950', '1.09100']) await price(text);
    const call = async () =>
      (await floor.house.db.server.query('select * from alerts_fire(2)')).rows[0] as {
        told: number;
        is_more: boolean;
      };
    let told = 0;
    let rounds = 0;
    for (let isMore = true; isMore; rounds += 1) {
      const answer = await call();
      told += answer.told;
      isMore = answer.is_more;
    }
    expect([told, rounds > 1]).toEqual([1, true]);
    expect((await list()).fired[0].fired.price).toBe('1.09950');
  });

  test('can be removed by its owner while it waits, and then does not fire', async () => {
    ann = await register(floor.origin);
    await price('1.10000');
    const { id } = await add('1.11000');
    const stranger = await register(floor.origin);
    expect((await ask('remove', { id }, stranger)).body.error).toBe('ALERT_NOT_FOUND');
    expect((await list(stranger)).waiting).toEqual([]);
    expect((await ask('remove', { id })).body.error).toBeUndefined();
    expect((await ask('remove', { id })).body.error).toBe('ALERT_NOT_FOUND');
    await price('1.12000');
    expect(await fire()).toBe(0);
    expect(await list()).toEqual({ waiting: [], fired: [], most: 20 });
  });

  test('is refused if its owner has twenty waiting ones, over all processes', async () => {
    ann = await register(floor.origin);
    await price('1.10000');
    const other = await startApi(floor.house.db);
    try {
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, place) =>
          post(
            [floor.origin, other.origin][place % 2] as string,
            'alert/add',
            { symbol: 'EUR/USD', price: `1.2${String(place).padStart(2, '0')}` },
            { token: ann.token },
          ),
        ),
      );
      expect(answers.filter(({ body }) => body.error === 'TOO_MANY_ALERTS')).toHaveLength(4);
      expect((await list()).waiting).toHaveLength(20);
      // A fired alert no longer counts towards the limit.
      await price('1.20000');
      expect(await fire()).toBe(1);
      await add('1.40000');
    } finally {
      await other.stop();
    }
  });

  test('is refused at an invalid or already reached price, and for a product without a price', async () => {
    ann = await register(floor.origin);
    await price('1.10000');
    const error = async (symbol: string, mark: string) =>
      (await ask('add', { symbol, price: mark })).body.error;
    expect(await error('EUR/USD', '1.10000')).toBe('ALERT_REACHED');
    for (const bad of ['0', '1.100001', '1e3', '-1', ''])
      expect([bad, await error('EUR/USD', bad)]).not.toEqual([bad, undefined]);
    expect(await error('NOTHING', '1')).toBe('PRODUCT_NOT_FOUND');
    expect(await error('GBP/USD', '1.2')).toBe('PRICE_UNAVAILABLE');
  });
});
