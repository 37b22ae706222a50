import { register } from '@fairtick/kit/clients/api-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { ownFloor } from '@fairtick/kit/fixtures/houses.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';

/** A server that trusts its proxy's address header, so that a test can act as several clients. */
const floor = ownFloor({
  trustProxy: true,
  addressHeader: 'cf-connecting-ip',
  streams: { readers: 3, topics: 4, messages: 30 },
});

const from = (address: string, { token, named }: { token?: string; named?: string } = {}) =>
  StreamClient.open(floor.origin, token, {
    'x-forwarded-for': `198.51.100.1, ${address}`,
    ...(named === undefined ? {} : { 'cf-connecting-ip': named }),
  });

describe('the readers of one address', () => {
  test('are limited to its share: one more is closed with 1013, one that leaves makes room, and other addresses connect', async () => {
    const readers = [await from('203.0.113.1'), await from('203.0.113.1'), await from('203.0.113.1')];
    expect((await (await from('203.0.113.1')).end()).code).toBe(1013);
    const other = await from('203.0.113.2');
    other.send({ op: 'sub', topic: 'quote:EUR/USD' });
    await other.next(({ topic, data }) => topic === 'quote:EUR/USD' && data.price === '1.08400');
    await readers[0]?.close();
    const next = await seen(async () => {
      const reader = await from('203.0.113.1');
      reader.send({ op: 'ping' });
      // A reader that gets no answer soon has its place already, so another one must not be tried.
      await seen(() => reader.closed ?? reader.messages.find(({ op }) => op === 'pong'));
      return reader.closed ? null : reader;
    });
    for (const reader of [next, other, ...readers.slice(1)]) await reader.close();
  });

  test('share one limit across an IPv6 /64', async () => {
    const mine = [
      await from('2001:db8:1:1::1'),
      await from('2001:db8:1:1:2::2'),
      await from('2001:db8:1:1:3::3'),
    ];
    expect((await (await from('2001:db8:1:1:ffff::4')).end()).code).toBe(1013);
    const other = await from('2001:db8:1:2::1');
    expect(await other.sub('quotes')).not.toEqual([]);
    for (const reader of [...mine, other]) await reader.close();
  });

  test('together follow no more topics than their share, and a reader that leaves frees its topics', async () => {
    const [one, two] = [await from('203.0.113.3'), await from('203.0.113.3')];
    await one.sub('quotes');
    await one.sub('time');
    await one.sub('quote:EUR/USD');
    // A topic that is followed already does not count again.
    await one.sub('quote:EUR/USD');
    await two.sub('quotes');
    two.send({ op: 'sub', topic: 'time' });
    expect(await two.next(({ error }) => error)).toEqual({
      error: 'TOO_MANY_TOPICS',
      msg: 'Too many topics',
      topic: 'time',
    });
    await one.close();
    await seen(async () => {
      two.send({ op: 'sub', topic: 'time' });
      return two
        .next(({ topic, type }) => topic === 'time' && type === 'snapshot', { withinMs: 500 })
        .catch(() => null);
    });
    await two.close();
  });

  test('together send no more messages than their share: a reader above it is closed with 1013, other addresses are not affected', async () => {
    const [one, two] = [await from('203.0.113.4'), await from('203.0.113.4')];
    const elsewhere = await from('203.0.113.5');
    for (let n = 0; n < 25; n += 1) one.send({ op: 'ping' });
    await seen(() => one.messages.length === 25);
    for (let n = 0; n < 10; n += 1) two.send({ op: 'ping' });
    expect((await two.end()).code).toBe(1013);
    await elsewhere.sub('quotes');
    await one.close();
    await elsewhere.close();
  });
});

test('readers who are logged in count by customer: a carrier’s one address serves them all, and one customer has a share', async () => {
  const tokens = await Promise.all(
    Array.from({ length: 5 }, async () => (await register(floor.origin)).token),
  );
  const readers: StreamClient[] = [];
  for (const token of tokens) {
    const reader = await from('203.0.113.9', { token });
    // Topics and messages count for the customer, too: together these are more than the share of one address.
    await reader.sub('quotes');
    await reader.sub('time');
    for (let n = 0; n < 10; n += 1) reader.send({ op: 'ping' });
    await seen(() => reader.messages.filter(({ op }) => op === 'pong').length === 10);
    readers.push(reader);
  }
  const visitor = await from('203.0.113.9');
  await visitor.sub('quotes');
  const [token = ''] = tokens;
  for (const address of ['203.0.113.10', '203.0.113.11']) readers.push(await from(address, { token }));
  const fourth = await from('203.0.113.12');
  fourth.send({ op: 'auth', token });
  expect((await fourth.end()).code).toBe(1013);
  for (const reader of [visitor, ...readers]) await reader.close();
});

test('behind a delivery network the named header gives the address; a value that is not one address alone counts for nothing', async () => {
  const edge = '203.0.113.20';
  const readers = [];
  for (let n = 1; n <= 5; n += 1) readers.push(await from(edge, { named: `198.51.100.${n}` }));
  for (const named of ['198.51.100.9, 198.51.100.8', 'fe80::1%eth0', '198.51.100.9:443'])
    readers.push(await from(edge, { named }));
  for (const named of ['unknown', '', '999.1.1.1'])
    expect([named, (await (await from(edge, { named })).end()).code]).toEqual([named, 1013]);
  for (const reader of readers) await reader.close();
});

test('each of several concurrent readers gets its snapshots, and the feed learns of the product that they watch', async () => {
  const readers = [await from('203.0.113.6'), await from('203.0.113.7'), await from('203.0.113.8')];
  for (const reader of readers) {
    reader.send({ op: 'sub', topic: 'quotes' });
    reader.send({ op: 'sub', topic: 'quote:EUR/USD' });
  }
  for (const reader of readers) {
    await reader.next(({ topic, type }) => topic === 'quotes' && type === 'snapshot');
    await reader.next(({ topic, data }) => topic === 'quote:EUR/USD' && data.price === '1.08400');
  }
  const { id } = floor.house.product('EUR/USD');
  await seen(async () => {
    const { rows } = await floor.house.db.owner.query(
      'select from watched_products where product_id = $1 and until > now()',
      [id],
    );
    return rows.length === 1;
  });
  for (const reader of readers) await reader.close();
});
