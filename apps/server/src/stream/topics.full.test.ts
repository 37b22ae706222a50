import { get, register } from '@fairtick/kit/clients/api-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { TradingFloor } from '@fairtick/kit/installation/trading-floor.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { topics } from '@fairtick/protocol';
import { beforeAll, describe, expect, test } from 'vitest';

const floor = forFile(() => TradingFloor.open());
beforeAll(async () => {
  await floor.tick({ 'EUR/USD': '1.08400', 'BTC/USDT': '91000.00' });
  // Committed entries reach an API process a moment later.
  await seen(async () => {
    const { body } = await get(floor.origin, 'product/detail', { symbol: 'EUR/USD' });
    return body.data.price === '1.08400';
  });
});

/** A series of prices that never repeats one directly. */
const price = (n: number): string => `1.08${String(400 + ((n * 37) % 200)).padStart(3, '0')}`;
/** How often the list of all prices is sent at most. */
const QUOTES_EVERY_MS = 500;
const PERIODS = ['1m', '5m', '15m', '30m', '1h', '4h', '1d', '1w', '1M'] as const;

describe('prices on the stream', () => {
  test('the topic of one product sends every tick, n and seq rising by one, and a gap as an unknown price', async () => {
    const reader = await StreamClient.open(floor.origin);
    const first = await reader.sub('quote:EUR/USD');
    expect(() => topics.quote.snapshot.parse(first)).not.toThrow();
    for (let n = 1; n <= 20; n += 1) await floor.tick({ 'EUR/USD': price(n) });
    await seen(() => reader.ticks('quote:EUR/USD').length === 21);
    const told = reader.ticks('quote:EUR/USD');
    expect(told.map(({ n }) => n)).toEqual(Array.from({ length: 21 }, (_, place) => first.n + place));
    expect(told.slice(1).map((quote) => quote.price)).toEqual(
      Array.from({ length: 20 }, (_, place) => price(place + 1)),
    );
    for (const quote of told) expect(() => topics.quote.change.parse(quote)).not.toThrow();
    const numbered = reader.of('quote:EUR/USD').map(({ seq }) => seq);
    expect(numbered).toEqual(numbered.map((_, place) => place + 1));

    // The sources stop sending quotes. Somebody watches the product, so it has a tick at every grid time until they are stale.
    for (let step = 0; step < 24; step += 1) await floor.house.stepBy(250);
    const gap = await reader.next(({ topic, data }) => topic === 'quote:EUR/USD' && data.price === null);
    await floor.tick({ 'EUR/USD': '1.08400' });
    await reader.next(({ data }) => data?.n > gap.data.n && data.price === '1.08400');
    const numbers = reader.ticks('quote:EUR/USD').map(({ n }) => n);
    expect(numbers).toEqual(numbers.map((_, place) => first.n + place));
    expect(gap.data.n).toBeGreaterThan(first.n + 21);
    await reader.close();
  });

  test('the topic of all products sends a snapshot of each, then the newest price of those that changed, not every tick', async () => {
    const reader = await StreamClient.open(floor.origin);
    const startMs = performance.now();
    const all = await reader.sub('quotes');
    expect(all.map(({ symbol }: { symbol: string }) => symbol)).toEqual(
      floor.house.products.all.map(({ symbol }) => symbol),
    );
    expect(all.find(({ symbol }: { symbol: string }) => symbol === 'GBP/USD')).toMatchObject({ price: null });
    for (let n = 1; n <= 12; n += 1) await floor.tick({ 'EUR/USD': price(n), 'BTC/USDT': `9100${n % 7}.00` });
    await reader.next(
      ({ type, data }) =>
        type === 'change' && data.some((quote: { price: string }) => quote.price === price(12)),
    );
    const changes = reader.of('quotes').slice(1);
    // On a slow machine the ticks are so far apart that each is sent.
    const most = Math.ceil((performance.now() - startMs) / QUOTES_EVERY_MS) + 1;
    expect(changes.length).toBeLessThanOrEqual(most);
    for (const { data } of changes) {
      expect(() => topics.quotes.change.parse(data)).not.toThrow();
      expect(data.map(({ symbol }: { symbol: string }) => symbol).sort()).toEqual(['BTC/USDT', 'EUR/USD']);
    }
    expect(changes.map(({ seq }) => seq)).toEqual(changes.map((_, place) => place + 2));
    await reader.close();
  });

  test('candles of every period on the stream equal those of the API, across the end of a minute (S7-28)', async () => {
    const readers = [await StreamClient.open(floor.origin), await StreamClient.open(floor.origin)];
    const names = PERIODS.map((period) => `candle:EUR/USD:${period}`);
    for (const name of names) await readers[0]?.sub(name);
    for (let n = 1; n <= 3; n += 1) await floor.tick({ 'EUR/USD': price(n) });
    // The second reader joins in the middle of the minute.
    for (const name of names) await readers[1]?.sub(name);
    const untilNextMinute = 60_000 - (floor.at(0) % 60_000);
    for (let ms = 0; ms <= untilNextMinute + 1_000; ms += 250) {
      await floor.tick({ 'EUR/USD': price(ms / 250) });
    }
    await floor.tick({ 'EUR/USD': '1.09999' });
    for (const period of PERIODS) {
      const name = `candle:EUR/USD:${period}`;
      const { body } = await get(floor.origin, 'product/candles', { symbol: 'EUR/USD', period, limit: 2 });
      const newest = body.data.at(-1);
      expect(newest.close).toBe('1.09999');
      for (const reader of readers) {
        await seen(() => reader.of(name).at(-1).data.close === '1.09999');
        expect([name, reader.of(name).at(-1).data]).toEqual([name, newest]);
        expect(reader.of(name).map(({ seq }) => seq)).toEqual(reader.of(name).map((_, place) => place + 1));
      }
      if (period !== '1m') continue;
      const before = readers[0]?.of(name).findLast(({ data }) => data.time < newest.time);
      expect(before.data).toEqual(body.data.at(-2));
    }
    for (const reader of readers) await reader.close();
  });

  test('a product without any price has an unknown quote and no candle', async () => {
    const reader = await StreamClient.open(floor.origin);
    expect(await reader.sub('candle:GBP/USD:1m')).toBeNull();
    expect(await reader.sub('quote:GBP/USD')).toMatchObject({ price: null, change: null, changeRate: null });
    await floor.tick({ 'GBP/USD': '1.25000' });
    const candle = await reader.next(({ topic, type }) => topic === 'candle:GBP/USD:1m' && type === 'change');
    expect(candle.data).toMatchObject({ open: '1.25000', close: '1.25000', volume: '1' });
    await reader.close();
  });
});

describe('the time', () => {
  test('is the log’s clock and is sent with the log’s head, which an order may repeat as what its customer saw', async () => {
    const reader = await StreamClient.open(floor.origin);
    // Register before the tick: password hashing takes long on a busy machine, and an order needs a log that has just been
    // written.
    const { token } = await register(floor.origin);
    // By the log's time, the product takes orders 15 s after the gap of the first test.
    for (let ms = 0; ms <= 15_000; ms += 250) await floor.tick();
    // The test writes the log ahead of the clock.
    const aheadMs = Math.max(0, floor.at(0) - Date.now());
    const { size, root, serverTime } = await reader.sub('time');
    const { rows } = await floor.house.db.server.query(
      'select max(time_ms) as head from log_entries where index < $1',
      [size],
    );
    expect(serverTime).toBeGreaterThanOrEqual(Number(rows[0].head));
    expect(serverTime).toBeLessThanOrEqual(Date.now() + aheadMs);
    const { body } = await get(floor.origin, 'transparency/proof', { size });
    expect(body.data.root).toBe(root);
    const placed = await floor.order(token, { seenSize: String(size), seenRoot: root });
    expect(placed.body.error).toBeUndefined();
    expect(placed.body.data.acceptance.text).toContain(`\n${size}\n${root}`);
    const forged = await floor.order(token, { seenSize: String(size), seenRoot: '0'.repeat(64) });
    expect(forged.body.error).toBe('SEEN_MISMATCH');
    const change = await reader.next(({ topic, type }) => topic === 'time' && type === 'change');
    expect(change.seq).toBe(2);
    expect(change.data.serverTime).toBeGreaterThan(serverTime);
    await reader.close();
  });
});

describe('subscriptions', () => {
  test('end when they are left, and begin anew with a snapshot and seq 1', async () => {
    const reader = await StreamClient.open(floor.origin);
    await reader.sub('quote:EUR/USD');
    await floor.tick({ 'EUR/USD': '1.08111' });
    await reader.next(({ data }) => data?.price === '1.08111');
    reader.send({ op: 'unsub', topic: 'quote:EUR/USD' });
    reader.send({ op: 'ping' });
    await reader.next(({ op }) => op === 'pong');
    await floor.tick({ 'EUR/USD': '1.08222' });
    await seen(async () => {
      const { body } = await get(floor.origin, 'product/detail', { symbol: 'EUR/USD' });
      return body.data.price === '1.08222';
    });
    expect(await reader.sub('quote:EUR/USD')).toMatchObject({ price: '1.08222' });
    expect(
      reader.messages.filter(({ data }) => data?.price === '1.08222').map(({ seq, type }) => [seq, type]),
    ).toEqual([[1, 'snapshot']]);
    await reader.sub('quote:EUR/USD');
    expect(reader.messages.at(-1)).toMatchObject({ seq: 1, type: 'snapshot' });
    reader.send({ op: 'unsub', topic: 'quote:BTC/USDT' });
    reader.send({ op: 'unsub', topic: 'never was' });
    reader.send({ op: 'ping' });
    await reader.next(({ op }) => op === 'pong', { from: reader.messages.length });
    await reader.close();
  });

  test('to an unknown topic are refused by name, and the reader stays', async () => {
    const reader = await StreamClient.open(floor.origin);
    const wrong = [
      'nothing',
      '',
      'quote',
      'quote:',
      'quote:NOTHING',
      'quote:eur/usd',
      'quote:EUR/USD:1m',
      'candle:EUR/USD',
      'candle:EUR/USD:2m',
      'candle:EUR/USD:1m:x',
      'orders:1',
      'funds:1000',
      'chat:1',
      '__proto__',
      'quote:__proto__',
      'quote:EUR/USD\0',
      'x'.repeat(3_000),
    ];
    for (const topic of wrong) {
      const from = reader.messages.length;
      reader.send({ op: 'sub', topic });
      const refusal = await reader.next((message) => message.error, { from });
      expect(refusal).toEqual({
        error: 'UNKNOWN_TOPIC',
        msg: 'Unknown topic',
        topic: topic.slice(0, 100),
      });
    }
    expect(reader.closed).toBeNull();
    await reader.close();
  });
});
