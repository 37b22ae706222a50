import { register } from '@fairtick/kit/clients/api-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { ownFloor } from '@fairtick/kit/fixtures/houses.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';

const floor = ownFloor();

const pong = async (reader: StreamClient) => {
  const from = reader.messages.length;
  reader.send({ op: 'ping' });
  return reader.next(({ op }) => op === 'pong', { from });
};

describe('messages that can’t be read', () => {
  test('are refused in the reader’s language, and the reader stays', async () => {
    const reader = await StreamClient.open(floor.origin);
    const wrong = [
      '',
      'hello',
      '{',
      'null',
      '1',
      '"ping"',
      '[]',
      '[{"op":"ping"}]',
      '{}',
      '{"op":"PING"}',
      '{"op":["ping"]}',
      '{"op":"sub"}',
      '{"op":"sub","topic":1}',
      '{"op":"sub","topic":["quotes"]}',
      '{"op":"unsub","topic":null}',
      '{"op":"auth"}',
      '{"op":"auth","token":1}',
      '{"op":"constructor"}',
      '{"__proto__":{"op":"ping"}}',
      '\0',
    ];
    for (const message of wrong) {
      const from = reader.messages.length;
      reader.send(message);
      expect([message, await reader.next(({ error }) => error, { from })]).toEqual([
        message,
        { error: 'INVALID_MESSAGE', msg: 'This message could not be read' },
      ]);
    }
    reader.socket.send(Buffer.from('{"op":"ping"}'), { binary: true });
    await seen(() => reader.messages.length === wrong.length + 1);
    expect(reader.messages.at(-1).error).toBe('INVALID_MESSAGE');
    await pong(reader);
    await reader.close();
  });

  test('close only their own reader when they are too large or too many', async () => {
    const other = await StreamClient.open(floor.origin);
    await other.sub('quote:EUR/USD');
    const endOf = async (misbehave: (reader: StreamClient) => void) => {
      const reader = await StreamClient.open(floor.origin);
      misbehave(reader);
      return (await reader.end()).code;
    };
    const large = (length: number) => JSON.stringify({ op: 'ping', padding: 'x'.repeat(length) });
    expect(await endOf((reader) => reader.send(large(4_200)))).toBe(1008);
    expect(await endOf((reader) => reader.send(large(9_000)))).toBe(1009);
    expect(await endOf((reader) => reader.socket.send(Buffer.alloc(9_000)))).toBe(1009);
    expect(
      await endOf((reader) => {
        for (let n = 0; n <= 400; n += 1) reader.send({ op: 'ping' });
      }),
    ).toBe(1008);
    await floor.tick({ 'EUR/USD': '1.08401' });
    await other.next(({ data }) => data?.price === '1.08401');
    await other.close();
  });
});

describe('topics', () => {
  test('are limited to three hundred for one reader, and leaving one makes room', async () => {
    const reader = await StreamClient.open(floor.origin);
    const topics = floor.house.products.all
      .flatMap(({ symbol }) => ['1m', '5m', '30m'].map((period) => `candle:${symbol}:${period}`))
      .slice(0, 301);
    for (const topic of topics) reader.send({ op: 'sub', topic });
    const refused = await reader.next(({ error }) => error);
    expect(refused).toEqual({ error: 'TOO_MANY_TOPICS', msg: 'Too many topics', topic: topics[300] });
    // A topic that the reader follows already does not count again.
    await reader.sub(topics[0] as string);
    reader.send({ op: 'unsub', topic: topics[1] });
    await reader.sub(topics[300] as string);
    await reader.close();
  });

  test('end when the reader disconnects, even those that it asked for just before', async () => {
    const reader = await StreamClient.open(floor.origin);
    const symbols = floor.house.products.all.slice(-40).map(({ symbol }) => symbol);
    for (const symbol of symbols) reader.send({ op: 'sub', topic: `quote:${symbol}` });
    reader.socket.close();
    await reader.end();
    const watchedUntil = async () => {
      const { rows } = await floor.house.db.owner.query<{ until: Date | null }>(
        'select max(until) as until from watched_products',
      );
      return rows[0]?.until?.getTime() ?? 0;
    };
    // Watched products are reported every 3 s. Without readers, the newest report is soon 4 s old.
    await seen(async () => Date.now() + 10_000 - (await watchedUntil()) > 4_000);
  });
});

test('a reader that asks and does not read is closed with 1013, and other readers are not delayed', async () => {
  const { token } = await register(floor.origin);
  for (let n = 0; n < 90; n += 1) await floor.order(token, { amount: '10' });
  const slow = await StreamClient.open(floor.origin, token);
  expect(await slow.sub('orders')).toHaveLength(90);
  const size = JSON.stringify(slow.messages.at(-1)).length;
  slow.socket.pause();
  const asked = Math.ceil((24 * 1024 * 1024) / size);
  expect(asked).toBeLessThan(390);
  for (let n = 0; n < asked; n += 1) slow.send({ op: 'sub', topic: 'orders' });
  // Messages are handled in order, so once this one shows in the database all have been handled.
  const last = floor.house.product('XAU/USD');
  slow.send({ op: 'sub', topic: `quote:${last.symbol}` });

  const quick = await StreamClient.open(floor.origin);
  await quick.sub('quote:EUR/USD');
  let worstMs = 0;
  for (let n = 0; n < 40; n += 1) {
    const price = `1.07${String(100 + n)}`;
    const beganMs = performance.now();
    await floor.tick({ 'EUR/USD': price });
    await quick.next(({ data }) => data?.price === price);
    worstMs = Math.max(worstMs, performance.now() - beganMs);
  }
  expect(worstMs).toBeLessThan(2_000);
  await seen(
    async () => {
      const { rows } = await floor.house.db.owner.query(
        'select from watched_products where product_id = $1',
        [last.id],
      );
      return rows.length > 0;
    },
    { withinMs: 20_000 },
  );
  slow.socket.resume();
  expect((await slow.end(20_000)).code).toBe(1013);
  expect(slow.messages.length).toBeLessThan(asked);
  await quick.close();
}, 60_000);
