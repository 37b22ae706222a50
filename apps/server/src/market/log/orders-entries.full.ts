import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { openWriter, readTexts, storyOf } from '@fairtick/kit/installation/writers.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { leafHash, rootOf } from '@fairtick/proof';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Product } from '../products.ts';

describe('acceptances in the log', () => {
  let house: House;
  let feed: ManualFeed;
  let eurusd: Product;
  let customers: string[];
  beforeEach(async () => {
    feed = new ManualFeed();
    house = await House.open(feed);
    eurusd = house.product('EUR/USD');
    customers = [await house.customer(), await house.customer()];
    feed.price(eurusd, '1.08400', START_MS + 250);
    await house.stepBy(250);
  });
  afterEach(() => house?.close());

  /** Places one batch with an order of each customer; orders beyond `taken` have too small a stake. */
  async function placeBatch(taken = 2): Promise<void> {
    await house.place(
      customers.map((customer, place) =>
        house.request(customer, { symbol: 'EUR/USD', amount: place < taken ? '10' : '1' }),
      ),
    );
  }

  const ordersEntries = async () => (await readTexts(house)).filter((text) => text.startsWith('orders|'));

  async function batches(): Promise<{ number: string; root: Buffer; accepted_at_ms: string }[]> {
    const { rows } = await house.db.server.query(
      'select number, root, accepted_at_ms from order_batches order by number',
    );
    return rows;
  }

  async function outcomes() {
    const { rows } = await house.db.server.query<{ result: number; void_reason: string | null }>(
      'select result, void_reason from orders order by id',
    );
    return rows.map((row) => row.void_reason ?? row.result);
  }

  test('one entry carries all waiting batches under one root, with the numbers of accepted and refused orders', async () => {
    await placeBatch();
    await placeBatch(1);
    await placeBatch(0);
    await house.stepBy(250);
    const leaves = (await batches()).map(({ root }) => leafHash(root));
    const root = Buffer.from(rootOf(leaves)).toString('hex');
    expect(await ordersEntries()).toEqual([`orders|2|${START_MS + 500}|0|1|3|3|3|${root}`]);
    await house.stepBy(250);
    expect(await ordersEntries()).toHaveLength(1);
    await placeBatch();
    await house.stepBy(250);
    expect((await ordersEntries())[1]).toMatch(`orders|2|${START_MS + 1_000}|0|4|4|2|0|`);
  });

  test('the entry stands before the prices of its grid time, so that those can open its orders', async () => {
    await placeBatch();
    feed.price(eurusd, '1.08500', START_MS + 490);
    await house.stepBy(250);
    const kinds = (await readTexts(house)).slice(-2).map((text) => text.split('|')[0]);
    expect(kinds).toEqual(['orders', 'tick']);
    feed.price(eurusd, '1.08600', START_MS + 60_000);
    await house.stepTo(START_MS + 60_500);
    feed.price(eurusd, '1.08600', START_MS + 61_000);
    await house.stepTo(START_MS + 61_000);
    await house.stepBy(250);
    expect(await house.settle()).toBe(2);
    const { rows } = await house.db.server.query('select distinct open_price, open_ms from orders');
    expect(rows).toEqual([{ open_price: '108500', open_ms: String(START_MS + 500) }]);
  });

  test('no entry carries a batch that was accepted after the entry’s time', async () => {
    // The writer is late: the log's clock passes a grid time, and an order is accepted, before the writer writes for that grid
    // time.
    await house.stepTo(START_MS + 749);
    await until(async () => {
      const { rows } = await house.db.server.query<{ now: string }>('select log_now() as now');
      return Number(rows[0]?.now) > START_MS + 750;
    });
    await placeBatch();
    const [batch] = await batches();
    expect(Number(batch?.accepted_at_ms)).toBeGreaterThan(START_MS + 750);
    await house.stepTo(START_MS + 750);
    expect(await ordersEntries()).toHaveLength(0);
    await house.stepTo(START_MS + 1_000);
    expect((await ordersEntries())[0]).toMatch(`orders|2|${START_MS + 1_000}|0|1|1|`);
  });

  test('the next writer logs the batches that wait', async () => {
    await placeBatch();
    const writer = await openWriter(house, new ManualFeed());
    house.clock.stepTo(START_MS + 500);
    await writer.step();
    house.clock.stepTo(START_MS + 750);
    await writer.step();
    expect((await ordersEntries())[0]).toMatch(`orders|1|${START_MS + 750}|1|1|2|0|`);
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.08400', 'gap restart']);
  });

  test('an entry up to two seconds after acceptance is in time, even if it is appended later', async () => {
    await placeBatch();
    // The writer wakes up late, a little after the grid time that it writes for.
    await house.stepTo(START_MS + 2_490);
    expect((await ordersEntries())[0]).toMatch(`orders|1|${START_MS + 2_250}|`);
    const { rows } = await house.db.server.query('select time_ms from logged_batches');
    expect(rows).toEqual([{ time_ms: String(START_MS + 2_250) }]);
    feed.price(eurusd, '1.08500', START_MS + 2_500);
    await house.stepTo(START_MS + 2_500);
    feed.price(eurusd, '1.08600', START_MS + 60_900);
    await house.stepTo(START_MS + 61_000);
    await house.stepBy(250);
    expect(await house.settle()).toBe(2);
    expect(await outcomes()).toEqual([1, 1]);
  });

  test('an entry more than two seconds after acceptance makes its orders void and returns the stakes', async () => {
    await placeBatch();
    await house.stepTo(START_MS + 2_500);
    feed.price(eurusd, '1.08500', START_MS + 2_750);
    await house.stepBy(250);
    await house.runTo(START_MS + 8_000);
    expect(await house.settle()).toBe(2);
    expect(await outcomes()).toEqual(['not_logged', 'not_logged']);
    expect(await house.balance(customers[0] as string)).toEqual({ available: 10_000_000_000n, held: 0n });
  });
});

describe('the price at a settlement', () => {
  let house: House;
  afterEach(() => house?.close());

  test('is restated when no quote came, even by a late writer', async () => {
    const feed = new ManualFeed();
    house = await House.open(feed);
    const [eurusd, usdjpy] = [house.product('EUR/USD'), house.product('USD/JPY')];
    const customer = await house.customer();
    feed.price(eurusd, '1.08400', START_MS + 250);
    feed.price(usdjpy, '150.001', START_MS + 250);
    await house.stepBy(250);
    await house.place([house.request(customer, { symbol: 'EUR/USD', amount: '10' })]);
    await house.stepBy(250);
    feed.price(eurusd, '1.08500', START_MS + 58_500);
    feed.price(usdjpy, '150.002', START_MS + 58_500);
    await house.stepTo(START_MS + 58_500);
    // The settlement time, START + 61 s, is within a pause of the writer.
    await house.stepTo(START_MS + 60_250);
    await house.stepTo(START_MS + 61_000);
    await house.stepBy(250);
    await house.stepBy(250);
    expect(await storyOf(house, 'EUR/USD')).toEqual([
      'tick 1.08400',
      'tick 1.08500',
      'same 1.08500',
      'same 1.08500',
    ]);
    expect(await storyOf(house, 'USD/JPY')).toEqual(['tick 150.001', 'tick 150.002']);
  });

  test('is not restated after prices stopped', async () => {
    const feed = new ManualFeed();
    house = await House.open(feed);
    const eurusd = house.product('EUR/USD');
    const customer = await house.customer();
    feed.price(eurusd, '1.08400', START_MS + 250);
    await house.stepBy(250);
    await house.place([house.request(customer, { symbol: 'EUR/USD', amount: '10' })]);
    feed.price(eurusd, '1.08500', START_MS + 500);
    await house.stepBy(250);
    await house.stepTo(START_MS + 61_000);
    await house.stepBy(250);
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.08400', 'tick 1.08500', 'gap quorum']);
  });
});
