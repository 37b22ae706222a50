import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { openWriter, readMarks, readTexts, storyOf } from '@fairtick/kit/installation/writers.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { hashAsked, leafHash, parseEntry, rootOf, toHex } from '@fairtick/proof';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Product } from '../products.ts';
import { LogDraft } from './log-draft.ts';
import { addOrders, type WaitingBatch } from './orders-entries.ts';

describe('acceptances in the log', () => {
  let eurusd: Product;
  let customers: string[];
  const feed = forTest(() => new ManualFeed());
  const house = forTest(() => House.open(feed));
  beforeEach(async () => {
    eurusd = house.product('EUR/USD');
    customers = [await house.customer(), await house.customer()];
    feed.price(eurusd, '1.08400', START_MS + 250);
    await house.stepBy(250);
  });

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
      'select result, void_reason from orders_and_results order by id',
    );
    return rows.map((row) => row.void_reason ?? row.result);
  }

  test('one entry carries all waiting batches under one root, with the times of the first and the last', async () => {
    await placeBatch();
    await placeBatch(1);
    await placeBatch(0);
    await house.stepBy(250);
    // The third has no accepted order, and so no number.
    const [first, last, ...others] = await batches();
    expect(others).toEqual([]);
    const leaves = [first, last].map((batch) => leafHash(batch?.root as Buffer));
    const root = Buffer.from(rootOf(leaves)).toString('hex');
    const times = `${first?.accepted_at_ms}|${last?.accepted_at_ms}`;
    expect(await ordersEntries()).toEqual([`orders|4|${START_MS + 500}|1|2|${times}|${root}|`]);
    await house.stepBy(250);
    expect(await ordersEntries()).toHaveLength(1);
    await placeBatch();
    await house.stepBy(250);
    expect((await ordersEntries())[1]).toMatch(`orders|4|${START_MS + 1_000}|3|3|`);
  });

  test('an entry names the orders that say what was asked, and no other; of too many orders there are several entries', async () => {
    const order = (customer: string) => house.request(customer, { symbol: 'EUR/USD', amount: '10' });
    const opensAtMs = START_MS + 4_000;
    const nonces = ['7', '1'].map((digit) => digit.repeat(32));
    const named = customers.map((customer, at) => ({
      ...order(customer),
      named: { opensAtMs, nonce: nonces[at] as string },
    }));
    await house.place([...named, order(await house.customer())]);
    await house.stepBy(250);
    const asked = nonces.map((nonce) => {
      const what = {
        symbol: 'EUR/USD',
        direction: 'up',
        minutes: 1,
        asset: 'DEMO',
        amount: '10.000000',
      } as const;
      return toHex(hashAsked({ ...what, opensAt: opensAtMs, nonce })).slice(0, 32);
    });
    expect((await ordersEntries())[0]?.split('|').at(-1)).toBe(asked.sort().join(''));

    const batch = (number: number, count: number): WaitingBatch => ({
      number,
      acceptedAtMs: START_MS,
      root: new Uint8Array(32),
      asked: Array.from({ length: count }, (_, at) => toHex(leafHash(`${number} ${at}`)).slice(0, 32)),
    });
    const draft = new LogDraft(new Map(), 0);
    const late = { ...batch(6, 1), acceptedAtMs: START_MS + 1 };
    const all = [batch(1, 900), batch(2, 1_000), batch(3, 101), batch(4, 0), batch(5, 1_024), late];
    expect(addOrders(draft, START_MS, all)).toEqual([late]);
    const entries = draft.entries.map(({ text }) => parseEntry(text));
    const parts = entries.map(
      (entry) => entry?.kind === 'orders' && [entry.firstBatch, entry.lastBatch, entry.asked.length],
    );
    expect(parts).toEqual([
      [1, 2, 1_900],
      [3, 5, 1_125],
    ]);
  });

  test('the entry stands before the prices of its grid time', async () => {
    await placeBatch();
    feed.price(eurusd, '1.08500', START_MS + 490);
    await house.stepBy(250);
    const kinds = (await readTexts(house)).slice(-2).map((text) => text.split('|')[0]);
    expect(kinds).toEqual(['orders', 'tick']);
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
    expect((await ordersEntries())[0]).toMatch(`orders|4|${START_MS + 1_000}|1|1|`);
  });

  test('the next writer logs the batches that wait', async () => {
    await placeBatch();
    const later = new ManualFeed();
    later.receivesSinceMs = null;
    const writer = await openWriter(house, later);
    house.clock.stepTo(START_MS + 500);
    await writer.step();
    expect((await ordersEntries())[0]).toMatch(`orders|4|${START_MS + 500}|1|1|`);
    expect(await storyOf(house, 'EUR/USD')).toEqual(['tick 1.08400', 'gap restart']);
  });

  test('a late writer logs a batch at the first grid time after it, and the ticks of all grid times since', async () => {
    await placeBatch();
    for (let ms = 500; ms <= 2_250; ms += 250) feed.price(eurusd, '1.08500', START_MS + ms);
    await house.stepTo(START_MS + 2_490);
    expect((await ordersEntries())[0]).toMatch(`orders|4|${START_MS + 500}|1|1|`);
    const { rows } = await house.db.server.query('select time_ms from logged_batches');
    expect(rows).toEqual([{ time_ms: String(START_MS + 500) }]);
    const times = (await readMarks(house, 'EUR/USD')).map(({ timeMs }) => timeMs - START_MS);
    expect(times).toEqual([250, 500, 750, 1_000, 1_250, 1_500, 1_750, 2_000, 2_250]);
  });

  test('orders of a batch that a new process logs after a pause settle by the prices that there were', async () => {
    await placeBatch();
    const later = new ManualFeed();
    later.receivesSinceMs = START_MS + 90_000;
    later.price(eurusd, '1.08400', START_MS + 2_900);
    later.price(eurusd, '1.08500', START_MS + 62_900);
    const writer = await openWriter(house, later);
    // The log stood still for more than a minute: the gap is at its first missing grid time, and the batch with it.
    house.clock.stepTo(START_MS + 90_000);
    await writer.step();
    expect((await storyOf(house, 'EUR/USD')).slice(0, 2)).toEqual(['tick 1.08400', 'gap restart']);
    expect((await ordersEntries())[0]).toMatch(`orders|4|${START_MS + 500}|1|1|`);
    house.clock.stepTo(START_MS + 90_250);
    await writer.step();
    expect(await house.settle()).toBe(2);
    expect(await outcomes()).toEqual([1, 1]);
  });
});

describe('a product that somebody watches or trades', () => {
  let eurusd: Product;
  const feed = forTest(() => new ManualFeed());
  const house = forTest(() => House.open(feed));
  beforeEach(async () => {
    eurusd = house.product('EUR/USD');
    feed.price(eurusd, '1.08400', START_MS + 250);
    feed.price(house.product('USD/JPY'), '150.001', START_MS + 250);
    await house.stepBy(250);
  });

  const timesOf = async (symbol: string) =>
    (await readMarks(house, symbol)).map(({ timeMs }) => timeMs - START_MS);

  test('has a tick at every grid time from the first after the order on, in steps and after a pause', async () => {
    await house.place([house.request(await house.customer(), { symbol: 'EUR/USD', amount: '10' })]);
    await house.stepBy(250);
    feed.price(eurusd, '1.08500', START_MS + 1_600);
    await house.stepTo(START_MS + 2_000);
    expect(await timesOf('EUR/USD')).toEqual([250, 500, 750, 1_000, 1_250, 1_500, 1_750, 2_000]);
    expect((await storyOf(house, 'EUR/USD')).slice(-4)).toEqual([
      'tick 1.08400',
      'tick 1.08400',
      'tick 1.08500',
      'tick 1.08500',
    ]);
    expect(await timesOf('USD/JPY')).toEqual([250]);
  });

  test('has one while somebody looks at it, and others every five seconds', async () => {
    await house.db.server.query(`insert into watched_products values ($1, now() + interval '1 minute')`, [
      eurusd.id,
    ]);
    feed.price(eurusd, '1.08400', START_MS + 1_000);
    feed.price(house.product('USD/JPY'), '150.001', START_MS + 1_000);
    await house.stepTo(START_MS + 6_000);
    expect(await timesOf('EUR/USD')).toHaveLength(24);
    expect(await timesOf('USD/JPY')).toEqual([250, 1_000, 6_000]);
  });

  test('has none after prices stopped, but one gap', async () => {
    await house.place([house.request(await house.customer(), { symbol: 'EUR/USD', amount: '10' })]);
    await house.stepTo(START_MS + 30_000);
    const story = await storyOf(house, 'EUR/USD');
    const stop = story.indexOf('gap quorum');
    expect(story.slice(stop)).toEqual(['gap quorum']);
    expect((await timesOf('EUR/USD')).slice(stop)).toEqual([5_500]);
  });

  test('is caught up on for a minute: what was missed before is a gap, and counted as holes', async () => {
    await house.place([
      house.request(await house.customer(), { symbol: 'EUR/USD', amount: '10', minutes: 3 }),
    ]);
    for (let ms = 500; ms <= 100_000; ms += 500) feed.price(eurusd, '1.08500', START_MS + ms);
    await house.stepTo(START_MS + 100_250);
    const times = await timesOf('EUR/USD');
    expect((await storyOf(house, 'EUR/USD')).slice(0, 3)).toEqual([
      'tick 1.08400',
      'gap restart',
      'tick 1.08500',
    ]);
    expect(times.slice(0, 3)).toEqual([250, 500, 40_500]);
    expect(times.at(-1)).toBe(100_250);
    await house.session.close();
    const { rows } = await house.db.owner.query(
      `select t.ticks::int, t.holes::int, s.absent::int, s.lags::int[] from tick_statistics t join source_statistics s using (product_id)
       where product_id = $1 and source = 'a'`,
      [eurusd.id],
    );
    expect(rows).toEqual([
      { ticks: times.length - 1, holes: 159, absent: 0, lags: [201, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] },
    ]);
  });

  test('goes on with the quotes of the log after a takeover, and never lists a source as silent again', async () => {
    const next = new ManualFeed();
    const writer = await openWriter(house, next);
    for (const source of ['a', 'b']) next.quote(eurusd, source, '1.08600', START_MS + 600);
    // An older quote of the third source, as another process may have kept it.
    next.quote(eurusd, 'c', '1.08700', START_MS + 200);
    house.clock.stepTo(START_MS + 750);
    await writer.step();
    const last = (await readTexts(house)).findLast((text) => text.startsWith('tick|4|EUR/USD|')) ?? '';
    const uses = last
      .split('|')[7]
      ?.split(';')
      .map((quote) => quote.split(',').slice(0, 3));
    expect(uses).toEqual([
      ['a', '1.08600', String(START_MS + 600)],
      ['b', '1.08600', String(START_MS + 600)],
      ['c', '1.08400', String(START_MS + 250)],
    ]);
  });
});
