import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { readTickLine } from './tick-line.ts';

describe('the price line of a span of time', () => {
  let house: House;
  afterEach(() => house?.close());

  /** Gives one price a second: 1.08001 first, then one point more each time. */
  async function open(seconds: number): Promise<number> {
    const feed = new ManualFeed();
    house = await House.open(feed);
    const eurusd = house.product('EUR/USD');
    for (let i = 1; i <= seconds; i += 1) {
      feed.price(eurusd, `1.0${8_000 + i}`, START_MS + i * 1_000);
      await house.stepBy(1_000);
    }
    return eurusd.id;
  }

  test('has every price of a short span, both ends included', async () => {
    const productId = await open(8);
    const line = await readTickLine(house.db.server, {
      productId,
      fromMs: START_MS + 3_000,
      toMs: START_MS + 6_000,
    });
    // A tick at each grid time repeats the price until the next one.
    expect(line).toEqual(
      Array.from({ length: 13 }, (_, at) => ({
        timeMs: START_MS + 3_000 + at * 250,
        price: 108_003n + BigInt(Math.floor(at / 4)),
      })),
    );
  });

  test('has the first and last price of each part of a long span', async () => {
    const productId = await open(480);
    const line = await readTickLine(house.db.server, {
      productId,
      fromMs: START_MS + 1_000,
      toMs: START_MS + 480_000,
    });
    expect(line.length).toBe(241);
    expect(line[0]).toEqual({ timeMs: START_MS + 1_000, price: 108_001n });
    expect(line.at(-1)).toEqual({ timeMs: START_MS + 480_000, price: 108_480n });
    const times = line.map(({ timeMs }) => timeMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('is empty for another product, a time without prices and an end before its beginning', async () => {
    const productId = await open(2);
    const ask = (fromMs: number, toMs: number, id = productId) =>
      readTickLine(house.db.server, { productId: id, fromMs, toMs });
    const other = house.product('USD/JPY').id;
    expect(await ask(START_MS, START_MS + 9_000, other)).toEqual([]);
    expect(await ask(START_MS - 9_000, START_MS - 1)).toEqual([]);
    expect(await ask(START_MS + 9_000, START_MS)).toEqual([]);
    expect(await ask(0, 253_402_300_799_999)).toEqual([]);
  });
});
