import { get, post, register } from '@fairtick/kit/clients/api-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { TradingFloor } from '@fairtick/kit/installation/trading-floor.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { CLOSE_SESSION_ENDED, topics } from '@fairtick/protocol';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const floor = forFile(() => TradingFloor.open());
const second = forFile(() => startApi(floor.house.db));
beforeAll(async () => {
  await floor.tick({ 'EUR/USD': '1.08400' });
  await floor.tick();
});

const demo = (balances: readonly { asset: string; available: string; held: string }[]) => {
  const { available, held } = balances.find(({ asset }) => asset === 'DEMO') as {
    available: string;
    held: string;
  };
  return [available, held];
};
const detail = async (id: string, token: string) =>
  (await get(floor.origin, 'order/detail', { id }, { token })).body.data;

describe('a customer’s own orders and funds', () => {
  test('a customer’s orders and funds are sent as orders are placed, opened and settled, on every process (S4-01, S4-02)', async () => {
    const { token } = await register(floor.origin);
    const readers = [
      await StreamClient.open(floor.origin, token),
      await StreamClient.open(second.origin, token),
    ];
    for (const reader of readers) {
      expect(await reader.sub('orders')).toEqual([]);
      expect(demo(await reader.sub('funds'))).toEqual(['10000.000000', '0.000000']);
    }
    const { body } = await floor.order(token, { direction: 'up' });
    const { id } = body.data;
    // The API's answer may come before the stream's change; an order that has opened by then is sent as open.
    for (const reader of readers) await reader.next(({ data }) => data?.id === id);
    await floor.openAt('EUR/USD', '1.08500');
    for (const reader of readers)
      await reader.next(({ data }) => data?.id === id && data.openPrice === '1.08500');
    await floor.settleAt('EUR/USD', '1.08600');
    const last = await seen(async () => {
      const order = await detail(id, token);
      return order.status === 'settled' && order;
    });
    expect(last).toMatchObject({
      result: 'profit',
      openPrice: '1.08500',
      settlePrice: '1.08600',
      profit: '80.000000',
    });
    for (const reader of readers) {
      await seen(() => reader.of('orders').at(-1).data.status === 'settled');
      const told = reader.of('orders');
      expect(told.map(({ seq }) => seq)).toEqual(told.map((_, place) => place + 1));
      const states = told.slice(1).map(({ data }) => [data.status, data.openPrice, data.settlePrice]);
      expect(
        [...new Set(states.map((state) => JSON.stringify(state)))].map((state) => JSON.parse(state)),
      ).toEqual([
        ['unsettled', null, null],
        ['unsettled', '1.08500', null],
        ['settled', '1.08500', '1.08600'],
      ]);
      for (const { data } of told.slice(1)) expect(() => topics.orders.change.parse(data)).not.toThrow();
      // Apart from the current price, the stream and the API agree.
      expect({ ...told.at(-1).data, currentPrice: '' }).toEqual({ ...last, currentPrice: '' });
      await seen(() => demo(reader.of('funds').at(-1).data)[0] === '10080.000000');
      expect(reader.of('funds').map(({ data }) => demo(data))).toEqual([
        ['10000.000000', '0.000000'],
        ['9900.000000', '100.000000'],
        ['10080.000000', '0.000000'],
      ]);
      await reader.close();
    }
  });

  test('are in the snapshot while orders are unsettled, newest first', async () => {
    const { token } = await register(floor.origin);
    await floor.tick({ 'EUR/USD': '1.08600' });
    const ids: string[] = [];
    for (let n = 0; n < 2; n += 1) ids.unshift((await floor.order(token)).body.data.id);
    await floor.openAt('EUR/USD', '1.08600');
    ids.unshift((await floor.order(token)).body.data.id);
    const reader = await StreamClient.open(floor.origin, token);
    const snapshot = await reader.sub('orders');
    expect(snapshot.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(() => topics.orders.snapshot.parse(snapshot)).not.toThrow();
    await floor.openAt('EUR/USD', '1.08500');
    const [youngest] = ids;
    expect(snapshot.map(({ openPrice }: { openPrice: string | null }) => openPrice !== null)).toEqual([
      false,
      true,
      true,
    ]);
    await reader.next(({ data }) => data?.id === youngest && data.openPrice === '1.08500');
    // They settle seconds apart, so prices keep coming from before the first until after the last.
    floor.feed.price(floor.house.product('EUR/USD'), '1.08500', floor.at(50_000));
    await floor.house.stepBy(50_000);
    for (let ms = 0; ms < 16_000; ms += 250) await floor.tick();
    await floor.house.settle();
    for (const id of ids) {
      const settled = await reader.next(({ data }) => data?.id === id && data.status === 'settled');
      expect(settled.data).toMatchObject(
        id === youngest ? { result: 'none', profit: '0.000000' } : { result: 'loss', profit: '-100.000000' },
      );
    }
    await reader.close();
  });

  test('are never sent to other readers', async () => {
    const mine = await register(floor.origin);
    const theirs = await register(floor.origin);
    const spies = [
      await StreamClient.open(floor.origin, theirs.token),
      await StreamClient.open(second.origin, theirs.token),
      await StreamClient.open(floor.origin),
    ];
    for (const spy of spies) {
      for (const topic of ['orders', 'funds', 'quotes', 'time', 'quote:EUR/USD'])
        spy.send({ op: 'sub', topic });
      await spy.next(({ topic }) => topic === 'quote:EUR/USD');
    }
    const reader = await StreamClient.open(floor.origin, mine.token);
    await reader.sub('orders');
    const { id } = (await floor.order(mine.token)).body.data;
    await floor.openAt('EUR/USD', '1.08500');
    await floor.settleAt('EUR/USD', '1.08700');
    await reader.next(({ data }) => data?.id === id && data.status === 'settled');
    for (const spy of spies) {
      const from = spy.messages.length;
      spy.send({ op: 'ping' });
      await spy.next(({ op }) => op === 'pong', { from });
      expect(JSON.stringify(spy.messages)).not.toContain(`"${id}"`);
      expect(
        spy.messages.filter(({ topic, type }) => /orders|funds/.test(topic) && type === 'change'),
      ).toEqual([]);
      await spy.close();
    }
    await reader.close();
  });

  test('end with the session: a stream whose session ends by time is closed', async () => {
    const { token, id } = await register(floor.origin);
    const until = async (seconds: number) =>
      floor.house.db.owner.query(
        `update sessions set created_at = now() - interval '90 days' + make_interval(secs => $2) where customer_id = $1`,
        [id, seconds],
      );
    await until(2);
    const [reader, visitor] = [
      await StreamClient.open(floor.origin, token),
      await StreamClient.open(floor.origin),
    ];
    await reader.sub('orders');
    expect((await reader.end()).code).toBe(CLOSE_SESSION_ENDED);
    expect(visitor.closed).toBeNull();
    await visitor.close();
  });

  test('need a session: they are refused without one, and auth must come first', async () => {
    const { token } = await register(floor.origin);
    const reader = await StreamClient.open(floor.origin);
    for (const topic of ['orders', 'funds']) {
      const from = reader.messages.length;
      reader.send({ op: 'sub', topic });
      expect(await reader.next(({ error }) => error, { from })).toEqual({
        error: 'SESSION_EXPIRED',
        msg: 'Your session has expired. Please log in again',
        topic,
      });
    }
    // All messages at once: those after auth wait for it.
    reader.send({ op: 'auth', token, lang: 'zh' });
    reader.send({ op: 'sub', topic: 'orders' });
    reader.send({ op: 'sub', topic: 'funds' });
    reader.send({ op: 'sub', topic: 'nothing' });
    await reader.next(({ topic, type }) => topic === 'funds' && type === 'snapshot');
    const refused = await reader.next(({ error }) => error === 'UNKNOWN_TOPIC');
    expect(refused.msg).toBe('没有这个主题');
    expect(reader.messages.slice(2).map((message) => message.op ?? message.topic)).toEqual([
      'auth',
      'orders',
      'funds',
      'nothing',
    ]);
    await reader.close();
  });

  test('end when the reader logs in as another customer', async () => {
    const [first, next] = [await register(floor.origin), await register(floor.origin)];
    const reader = await StreamClient.open(floor.origin, first.token);
    await reader.sub('funds');
    await reader.sub('orders');
    reader.send({ op: 'auth', token: next.token });
    await reader.next(({ op }) => op === 'auth', { from: 3 });
    const from = reader.messages.length;
    await floor.order(first.token, { amount: '10' });
    await floor.order(next.token, { amount: '20' });
    await reader.sub('funds');
    expect(demo(reader.messages.at(-1).data)).toEqual(['9980.000000', '20.000000']);
    await floor.order(first.token, { amount: '30' });
    const { id } = (await floor.order(next.token, { amount: '40' })).body.data;
    await reader.next(
      ({ topic, type, data }) => topic === 'funds' && type === 'change' && demo(data)[1] === '60.000000',
      { from },
    );
    expect(reader.messages.slice(from).filter(({ topic }) => topic === 'orders')).toEqual([]);
    const orders = await reader.sub('orders');
    expect(orders.map((order: { amount: string }) => order.amount)).toEqual(['40.000000', '20.000000']);
    expect(orders[0].id).toBe(id);
    await reader.close();
  });

  test('are sent when money moves without an order', async () => {
    const { token } = await register(floor.origin);
    const reader = await StreamClient.open(second.origin, token);
    await reader.sub('funds');
    await floor.order(token, { amount: '250' });
    await reader.next(({ data, type }) => type === 'change' && demo(data)[0] === '9750.000000');
    await floor.openAt('EUR/USD', '1.08500');
    await floor.settleAt('EUR/USD', '1.08400');
    await reader.next(({ data, type }) => type === 'change' && demo(data)[1] === '0.000000');
    const from = reader.messages.length;
    await post(floor.origin, 'fund/resetDemo', {}, { token });
    await reader.next(({ data, type }) => type === 'change' && demo(data)[0] === '10000.000000', { from });
    await reader.close();
  });
});

describe('a listening connection that is cut', () => {
  const superuser = new pg.Client({
    host: process.env.FAIRTICK_TEST_SOCKET,
    user: 'postgres',
    database: 'postgres',
  });
  beforeAll(() => superuser.connect().then(() => undefined));
  afterAll(() => superuser.end());

  const LISTENERS = `from pg_stat_activity where datname = $1 and application_name = 'fairtick listener'`;
  const cut = () => superuser.query(`select pg_terminate_backend(pid) ${LISTENERS}`, [floor.house.db.name]);
  const letIn = (connections: number) =>
    superuser.query(`alter database ${floor.house.db.name} connection limit ${connections}`);

  /** Opens the connections that trading needs in advance, so that no new one is needed while the database refuses them. */
  async function holdConnections(token: string): Promise<void> {
    await Promise.all([
      ...Array.from({ length: 8 }, () => floor.house.db.server.query('select pg_sleep(0.1)')),
      ...Array.from({ length: 20 }, () => get(floor.origin, 'order/list', {}, { token })),
    ]);
  }

  test('loses no order: one that settled meanwhile is sent as settled, and one that was placed is in a new snapshot', async () => {
    const { token } = await register(floor.origin);
    const reader = await StreamClient.open(floor.origin, token);
    await reader.sub('orders');
    await reader.sub('funds');
    const unheard = (await floor.order(token, { amount: '100' })).body.data.id;
    await floor.openAt('EUR/USD', '1.08500');
    await reader.next(({ data }) => data?.id === unheard && data.openPrice === '1.08500');
    const from = reader.messages.length;
    // The database refuses new connections, and the listeners are cut: the notifications of the next minute are lost.
    let placed = '';
    await holdConnections(token);
    try {
      await letIn(0);
      await cut();
      await seen(
        async () => (await superuser.query(`select ${LISTENERS}`, [floor.house.db.name])).rowCount === 0,
      );
      await floor.settleAt('EUR/USD', '1.08900');
      await floor.tick();
      placed = (await floor.order(token, { amount: '70' })).body.data.id;
      expect(reader.messages.slice(from).filter(({ topic }) => topic === 'orders')).toEqual([]);
    } finally {
      await letIn(-1);
    }

    const settled = await reader.next(({ data }) => data?.id === unheard && data.status === 'settled', {
      from,
    });
    expect(settled.data).toMatchObject({ result: 'profit', settlePrice: '1.08900' });
    const again = reader.of('orders');
    expect(again[0].data.map(({ id }: { id: string }) => id)).toEqual([placed]);
    expect(again.map(({ seq }) => seq)).toEqual(again.map((_, place) => place + 1));
    await seen(() => demo(reader.of('funds').at(-1).data)[0] === '10010.000000');
    // Notifications arrive again.
    await floor.openAt('EUR/USD', '1.08500');
    await reader.next(({ data }) => data?.id === placed && data.openPrice === '1.08500', { from });
    await reader.close();
  });

  test('loses no tick, since prices continue after the reconnection', async () => {
    const reader = await StreamClient.open(floor.origin);
    await floor.tick({ 'EUR/USD': '1.08400' });
    // All earlier ticks have reached the API by then, so none of them follows the snapshot.
    await seen(async () => {
      const { body } = await get(floor.origin, 'product/detail', { symbol: 'EUR/USD' });
      return body.data.price === '1.08400';
    });
    const first = await reader.sub('quote:EUR/USD');
    await cut();
    for (let n = 1; n <= 10; n += 1) await floor.tick({ 'EUR/USD': `1.0840${n % 9}` });
    const numbers = () => reader.ticks('quote:EUR/USD').map(({ n }) => n);
    await seen(() => numbers().length === 11);
    expect(numbers()).toEqual(Array.from({ length: 11 }, (_, place) => first.n + place));
    await reader.close();
  });
});
