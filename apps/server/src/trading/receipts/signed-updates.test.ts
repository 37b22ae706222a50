import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { judged, settledOrderOf, settledReceipt } from '@fairtick/kit/people/receipts.ts';
import { PYTH_FEEDS } from '@fairtick/proof';
import { PYTH_SOURCE } from '@fairtick/trading';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signPythUpdate, TEST_PYTH_KEYS } from '../../../../../packages/proof/test/pyth/pyth-signing.ts';
import type { Arrival } from '../../market/feeds/feed.ts';
import type { Product } from '../../market/products.ts';
import { SignedUpdatesPruning } from '../../market/writer/signed-updates-pruning.ts';

const FEED = PYTH_FEEDS['EUR/USD'] as string;
const SLOT_MS = 50;

/** Two plain sources, and one whose quotes the test's routers sign. */
class SignedFeed extends ManualFeed {
  readonly #signed = new Map<bigint, Uint8Array>();
  #publishTime = 0;

  constructor() {
    super({ sources: ['a', 'b', PYTH_SOURCE], pyth: { feed: FEED, keys: [TEST_PYTH_KEYS] } });
  }

  override price(product: Product, price: string, receivedMs: number): void {
    for (const source of ['a', 'b']) this.quote(product, source, price, receivedMs);
    this.quote(product, PYTH_SOURCE, price, receivedMs, receivedMs - (receivedMs % SLOT_MS));
  }

  override take(timeMs: number): readonly Arrival[] {
    const arrivals = super.take(timeMs);
    for (const { quote } of arrivals) {
      if (quote.source !== PYTH_SOURCE) continue;
      const previousPublishTime = this.#publishTime;
      this.#publishTime = Math.floor(quote.sourceMs / 1000);
      const times = { publishTime: this.#publishTime, previousPublishTime };
      const price = { feed: FEED, mantissa: quote.price, conf: 1n, exponent: -5, ...times };
      const slot = BigInt(quote.sourceMs / SLOT_MS);
      this.#signed.set(quote.sourceSeq, signPythUpdate({ slot, prices: [price] }));
    }
    return arrivals;
  }

  signedUpdate(_productId: number, sourceSeq: bigint): Uint8Array | null {
    return this.#signed.get(sourceSeq) ?? null;
  }
}

let still: StillHouse;
beforeAll(async () => {
  still = await StillHouse.open({}, undefined, new SignedFeed());
}, 60_000);
afterAll(() => still.close());

const kept = async (): Promise<number> => {
  const { rows } = await still.house.db.owner.query<{ count: string }>('select count(*) from signed_updates');
  return Number(rows[0]?.count);
};

test('a receipt carries the signed updates of its deciding ticks, which outlive all others', async () => {
  await still.tick('EUR/USD', '1.08390');
  expect(await kept()).toBe(0);
  const order = await settledOrderOf(still);
  // Goes on for longer than updates are kept after the last order.
  for (let count = 0; count < 10; count += 1) {
    await still.tick('EUR/USD', `1.085${String(10 + count)}`);
    await still.stepBy(1_000);
  }
  const receipt = await settledReceipt(still, order);
  const places = receipt.entries.filter(({ role }) => role === 'opening' || role === 'settling').slice(-2);
  expect(receipt.updates?.map(({ index }) => index)).toEqual(places.map(({ index }) => index));
  const report = judged(still.house, receipt);
  expect(report.isValid).toBe(true);
  expect(report.limits).not.toContain('updates');
  expect(report.steps.find(({ id }) => id === 'updates')?.values).toMatchObject({
    count: 2,
    wanted: 2,
    signers: 3,
    routers: 5,
    known: 0,
    late: 0,
  });

  const before = await kept();
  const { server } = still.house.db;
  const prune = 'select signed_updates_prune($1, $2) as count';
  const { rows } = await server.query(prune, [0, still.nowMs + 60_000]);
  expect(rows[0].count).toBeGreaterThan(0);
  expect(await kept()).toBe(before - rows[0].count);
  expect(await settledReceipt(still, order)).toMatchObject({ updates: receipt.updates });
  expect((await server.query(prune, [0, still.nowMs + 60_000])).rows[0].count).toBe(0);
  expect(await new SignedUpdatesPruning(server, pino({ level: 'silent' })).run()).toBe(0);
});

test('a receipt whose updates are not kept says so, and stays valid', async () => {
  const order = await settledOrderOf(still);
  await still.house.db.owner.query('delete from signed_updates');
  const receipt = await settledReceipt(still, order);
  expect(receipt).not.toHaveProperty('updates');
  const report = judged(still.house, receipt);
  expect([report.isValid, report.limits.includes('updates')]).toEqual([true, true]);
});
