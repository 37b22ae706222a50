import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { type House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { readTexts, storyOf } from '@fairtick/kit/installation/writers.ts';
import type { ProductRules } from '@fairtick/trading';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MarketView } from './market-view.ts';
import { NO_STOPS } from './order-stops.ts';
import { quoteOf } from './product-answers.ts';
import type { Product } from './products.ts';

const MINUTE_MS = 60_000;

/** The product's story, without ticks of the same price one after the other. */
const changesOf = async (...of: Parameters<typeof storyOf>): Promise<string[]> =>
  (await storyOf(...of)).filter((mark, at, all) => mark !== all[at - 1]);

describe('gaps in prices', () => {
  let still: StillHouse;
  let house: House;
  let feed: ManualFeed;
  let eurusd: Product;
  let customer: string;
  afterEach(() => still?.close());

  async function open(rules: Partial<ProductRules> = {}, startMs = START_MS): Promise<void> {
    feed = new ManualFeed(rules);
    still = await StillHouse.open({}, startMs, feed);
    house = still.house;
    eurusd = house.product('EUR/USD');
    customer = await house.customer();
  }

  async function tick(price: string): Promise<void> {
    feed.price(eurusd, price, still.nowMs + 250);
    await still.stepBy(250);
  }

  /** Gives new prices every second up to a time. */
  async function tickUntil(timeMs: number): Promise<void> {
    while (still.nowMs < timeMs) {
      feed.price(eurusd, '1.08400', still.nowMs + 1_000);
      await still.stepBy(1_000);
    }
  }

  /** `accepted`, or the refusal's code. */
  async function buy(minutes = 1): Promise<string> {
    const request = house.request(customer, { symbol: 'EUR/USD', amount: '10', minutes });
    const [answer] = await still.place([request]);
    return answer?.kind === 'refused' ? answer.code : (answer?.kind ?? '');
  }

  const shown = async () => {
    const view = new MarketView(house.db.server, house.products, house.rules);
    await view.load();
    const nowMs = () => still.nowMs;
    const parts = { feed: 'simulated', nowMs, logMs: nowMs, stops: () => NO_STOPS };
    return quoteOf(view.get(eurusd.id), parts);
  };

  test('a product takes orders from its first price on', async () => {
    await open();
    expect(await shown()).toMatchObject({ price: null, closed: { because: 'no_price' } });
    expect(await buy()).toBe('PRICE_UNAVAILABLE');
    await tick('1.08400');
    expect(await buy()).toBe('accepted');
  });

  test('prices continue with one of three sources silent, stop with two silent, and allow orders 15 s after they are back', async () => {
    await open();
    await tick('1.08400');
    for (const source of ['a', 'b']) feed.quote(eurusd, source, '1.08410', still.nowMs + 4_000);
    await still.stepBy(4_000);
    await still.runTo(START_MS + 9_250);
    expect(await changesOf(house, 'EUR/USD')).toEqual(['tick 1.08400', 'tick 1.08410']);
    expect(await buy()).toBe('accepted');
    // Five seconds after the last quotes, none is fresh any more.
    await still.stepBy(250);
    expect((await storyOf(house, 'EUR/USD')).at(-1)).toBe('gap quorum');
    expect(await buy()).toBe('PRICE_UNAVAILABLE');
    expect(await shown()).toMatchObject({
      price: null,
      time: START_MS + 9_250,
      closed: { because: 'no_price' },
    });

    await tick('1.08420');
    expect(await shown()).toMatchObject({ price: '1.08420', closed: { because: 'no_price' } });
    const backMs = still.nowMs;
    expect(await buy()).toBe('PRICE_UNAVAILABLE');
    await tickUntil(backMs + 8_000);
    expect(await buy()).toBe('PRICE_UNAVAILABLE');
    await tickUntil(backMs + 14_000);
    await still.stepTo(backMs + 15_000);
    expect(await buy()).toBe('accepted');
    expect(await shown()).toMatchObject({ closed: null });
  });

  test('a second gap restarts the 15 s in which a product takes no orders', async () => {
    await open({ quietMs: 2_000 });
    await tick('1.08400');
    await still.runTo(START_MS + 2_500);
    await tick('1.08410');
    await still.runTo(START_MS + 6_000);
    await tick('1.08420');
    const backMs = still.nowMs;
    expect((await storyOf(house, 'EUR/USD')).filter((mark) => mark === 'gap quorum')).toHaveLength(2);
    await tickUntil(backMs + 8_000);
    expect(await buy()).toBe('PRICE_UNAVAILABLE');
    await tickUntil(backMs + 15_000);
    expect(await buy()).toBe('accepted');
  });

  test('a restart of the writer stops every price, and a product takes orders from its next new tick', async () => {
    await open();
    await tick('1.08400');
    feed.price(house.product('BTC/USDT'), '64000', still.nowMs + 250);
    await tick('1.08410');
    await still.restart(still.nowMs + 250);
    expect((await storyOf(house, 'EUR/USD')).at(-1)).toBe('gap restart');
    expect(await storyOf(house, 'BTC/USDT')).toEqual(['tick 64000.00', 'gap restart']);
    expect(await storyOf(house, 'USD/JPY')).toEqual([]);
    expect(await buy()).toBe('PRICE_UNAVAILABLE');
    await still.stepBy(250);
    expect(await buy()).toBe('PRICE_UNAVAILABLE');
    await tick('1.08500');
    expect((await storyOf(house, 'EUR/USD')).slice(-2)).toEqual(['gap restart', 'tick 1.08500']);
    expect(await buy()).toBe('accepted');
  });

  test('a restart during a gap does not shorten the wait of 15 s', async () => {
    await open({ quietMs: 2_000 });
    await tick('1.08400');
    await still.runTo(START_MS + 2_500);
    await still.restart(still.nowMs + 250);
    expect(await changesOf(house, 'EUR/USD')).toEqual(['tick 1.08400', 'gap quorum']);
    await tick('1.08410');
    expect((await storyOf(house, 'EUR/USD')).at(-1)).toBe('tick 1.08410');
    expect(await buy()).toBe('PRICE_UNAVAILABLE');
  });

  test('a restart during the wait of 15 s does not shorten it', async () => {
    await open({ quietMs: 2_000 });
    await tick('1.08400');
    await still.runTo(START_MS + 2_500);
    await tick('1.08410');
    await still.restart(still.nowMs + 250);
    const backMs = still.nowMs + 250;
    for (let ms = 0; ms <= 15_000; ms += 1_000) {
      feed.price(eurusd, '1.08420', backMs + ms);
      await still.stepTo(backMs + ms);
      expect(await buy()).toBe(ms < 15_000 ? 'PRICE_UNAVAILABLE' : 'accepted');
    }
    expect((await changesOf(house, 'EUR/USD')).slice(0, 4)).toEqual([
      'tick 1.08400',
      'gap quorum',
      'tick 1.08410',
      'gap restart',
    ]);
  });

  test('the end of a source closes its product and no other', async () => {
    await open();
    await tick('1.08400');
    feed.price(house.product('BTC/USDT'), '64000', still.nowMs + 250);
    await still.stepBy(250);
    feed.stops.set(eurusd.id, 'end');
    await still.stepBy(250);
    await still.stepBy(250);
    expect(await changesOf(house, 'EUR/USD')).toEqual(['tick 1.08400', 'gap end']);
    expect(await changesOf(house, 'BTC/USDT')).toEqual(['tick 64000.00']);
    expect(await buy()).toBe('PRICE_UNAVAILABLE');
  });
});

describe('while prices have stopped, a product with unsettled orders', () => {
  let customer: string;
  /** Acceptance of an order on EUR/USD. GBP/USD has a price, and none. */
  let boughtMs: number;
  const request = () => still.house.request(customer, { symbol: 'EUR/USD', amount: '10' });
  /** The product's entries after its last tick, each with its time after the acceptance. */
  const stop = async (symbol = 'EUR/USD'): Promise<string[]> => {
    const entries = (await readTexts(still.house)).map((text) => text.split('|'));
    const own = entries.filter(([kind, , name]) => (kind === 'tick' || kind === 'gap') && name === symbol);
    const last = own.findLastIndex(([kind]) => kind === 'tick');
    return own.slice(last + 1).map(([, , , , timeMs, reason]) => `${reason} ${Number(timeMs) - boughtMs}`);
  };
  const feed = forTest(() => new ManualFeed({ quietMs: 2_000 }));
  const still = forTest(() => StillHouse.open({}, START_MS, feed));
  beforeEach(async () => {
    customer = await still.house.customer();
    still.quote('GBP/USD', '1.27000', still.nowMs + 1);
    await still.tick('EUR/USD', '1.08400');
    await still.stepTo(START_MS + 1_000);
    boughtMs = still.nowMs;
    expect((await still.place([request()]))[0]?.kind).toBe('accepted');
  });

  test('gets one gap, as others do', async () => {
    await still.runTo(boughtMs + 4_250);
    expect(await stop()).toEqual(['quorum 1250']);
    expect(await stop('GBP/USD')).toEqual(['quorum 1250']);
    await still.restart(boughtMs + 30_500);
    await still.runTo(boughtMs + 32_000);
    expect(await stop()).toEqual(['quorum 1250']);
  });

  test('gets one at the end of its recording', async () => {
    feed.stops.set(still.house.product('EUR/USD').id, 'end');
    await still.runTo(boughtMs + 2_250);
    expect(await stop()).toEqual(['end 250']);
  });

  test('takes orders 15 s after prices are back, however many gaps there were, which count as one', async () => {
    await still.runTo(boughtMs + 4_250);
    const backMs = still.nowMs + 250;
    for (let ms = 0; ms <= 15_000; ms += 1_000) {
      feed.price(still.house.product('EUR/USD'), '1.08420', backMs + ms);
      await still.stepTo(backMs + ms);
      const [answer] = await still.place([request()]);
      expect(answer?.kind).toBe(ms < 15_000 ? 'refused' : 'accepted');
    }
    await still.house.db.server.query('select statistics_advance()');
    const { rows } = await still.house.db.owner.query(
      'select reason, count::int from gap_statistics order by product_id',
    );
    expect(rows).toEqual([
      { reason: 'quorum', count: 1 },
      { reason: 'quorum', count: 1 },
    ]);
  });
});

describe('a trading period', () => {
  /** Monday to Friday, 09:00 to 17:30 in New York; in June that is 13:00 to 21:30 UTC. */
  const schedule = {
    zone: 'America/New_York',
    windows: [{ days: [1, 2, 3, 4, 5], from: '09:00', to: '17:30' }],
    holidays: ['2026-06-03'],
  };
  const opensMs = Date.UTC(2026, 5, 1, 13, 0);
  const closesMs = Date.UTC(2026, 5, 1, 21, 30);
  let still: StillHouse;
  let house: House;
  let feed: ManualFeed;
  let eurusd: Product;
  let customer: string;
  afterEach(() => still?.close());

  async function open(startMs: number): Promise<void> {
    feed = new ManualFeed({ schedule });
    still = await StillHouse.open({}, startMs, feed);
    house = still.house;
    eurusd = house.product('EUR/USD');
    customer = await house.customer();
  }

  /** Gives quotes every second, during trading hours and outside. */
  async function runTo(timeMs: number): Promise<void> {
    while (still.nowMs < timeMs) {
      const ms = Math.min(1_000, timeMs - still.nowMs);
      feed.price(eurusd, '1.08400', still.nowMs + ms);
      await still.stepBy(ms);
    }
  }

  async function buy(minutes = 1): Promise<string> {
    const request = house.request(customer, { symbol: 'EUR/USD', amount: '10', minutes });
    const [answer] = await still.place([request]);
    return answer?.kind === 'refused' ? answer.code : (answer?.kind ?? '');
  }

  test('begins with its first price and takes orders 15 s later', async () => {
    await open(opensMs - 2_000);
    await runTo(opensMs);
    expect(await storyOf(house, 'EUR/USD')).toEqual([]);
    expect(await buy()).toBe('PRICE_UNAVAILABLE');
    await runTo(opensMs + 250);
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.08400']);
    expect(await buy()).toBe('PRICE_UNAVAILABLE');
    await runTo(opensMs + 5_000);
    expect(await buy()).toBe('PRICE_UNAVAILABLE');
    await runTo(opensMs + 15_000);
    expect(await buy()).toBe('accepted');
  });

  test('ends with a price at its last moment, then a gap; an order that would settle later is refused', async () => {
    await open(closesMs - 3 * MINUTE_MS);
    await runTo(closesMs - 2 * MINUTE_MS);
    expect(await buy(3)).toBe('SESSION_ENDS');
    expect(await buy(1)).toBe('accepted');
    await runTo(closesMs);
    const atEnd = await storyOf(house, 'EUR/USD');
    expect(atEnd.at(-1)).toBe('tick 1.08400');
    expect(await still.settle()).toBe(1);
    await runTo(closesMs + 250);
    expect((await storyOf(house, 'EUR/USD')).at(-1)).toBe('gap session');
    expect(await buy()).toBe('MARKET_CLOSED');
    await runTo(closesMs + 5_000);
    expect(await storyOf(house, 'EUR/USD')).toHaveLength(atEnd.length + 1);
  });

  test('opens again the next day with the wait of 15 s, and skips a holiday', async () => {
    await open(closesMs - 2_000);
    await runTo(closesMs + 500);
    const [tuesdayMs, wednesdayMs, thursdayMs] = [1, 2, 3].map((days) => opensMs + days * 86_400_000) as [
      number,
      number,
      number,
    ];
    await still.stepTo(tuesdayMs);
    expect((await storyOf(house, 'EUR/USD')).at(-1)).toBe('gap session');
    await runTo(tuesdayMs + 5_000);
    expect((await storyOf(house, 'EUR/USD')).at(-1)).toBe('tick 1.08400');
    expect(await buy()).toBe('PRICE_UNAVAILABLE');
    await runTo(tuesdayMs + 15_000);
    expect(await buy()).toBe('accepted');
    await still.stepTo(tuesdayMs + 8.5 * 3_600_000 - 2_000);
    await runTo(tuesdayMs + 8.5 * 3_600_000 + 250);
    expect((await storyOf(house, 'EUR/USD')).at(-1)).toBe('gap session');
    await still.stepTo(wednesdayMs + MINUTE_MS);
    await runTo(wednesdayMs + MINUTE_MS + 2_000);
    expect((await storyOf(house, 'EUR/USD')).at(-1)).toBe('gap session');
    expect(await buy()).toBe('MARKET_CLOSED');
    await still.stepTo(thursdayMs);
    await runTo(thursdayMs + 1_000);
    expect((await storyOf(house, 'EUR/USD')).at(-1)).toBe('tick 1.08400');
  });
});
