import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { judged, settledOrderOf, settledReceipt } from '@fairtick/kit/people/receipts.ts';
import { parsePrice } from '@fairtick/money';
import { PYTH_FEEDS } from '@fairtick/proof';
import { type AbsentRecord, type KnownRecord, PYTH_SOURCE, type SourceRecord } from '@fairtick/trading';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signPythUpdate, TEST_PYTH_KEYS } from '../../../../../packages/proof/test/pyth/pyth-signing.ts';
import type { Product } from '../../market/products.ts';

const FEED = PYTH_FEEDS['EUR/USD'] as string;
const SLOTS_A_SECOND = 20;

/** Two plain sources, and one whose records the test's routers sign: the first price of each second. */
class SignedFeed extends ManualFeed {
  /** By the second of the update; ascending. */
  readonly #records = new Map<number, SourceRecord>();

  constructor() {
    super({
      quietMs: 300_000,
      sources: ['a', 'b', PYTH_SOURCE],
      pyth: { feed: FEED, keys: [TEST_PYTH_KEYS] },
    });
  }

  override price(product: Product, price: string, receivedMs: number): void {
    for (const source of ['a', 'b']) this.quote(product, source, price, receivedMs);
    const second = Math.floor(receivedMs / 1_000);
    this.quote(product, PYTH_SOURCE, price, receivedMs, second * 1_000);
    const points = parsePrice(price, product.decimals);
    if (points === null || this.#records.has(second)) return;
    this.#records.set(second, { number: BigInt(second), timeMs: second * 1_000, price: points });
  }

  override recordsAt(productId: number, fixMs: number): readonly (KnownRecord | AbsentRecord)[] {
    const all = [...this.#records.values()];
    const last = all.findLast(({ timeMs }) => timeMs <= fixMs);
    const next = all.find(({ timeMs }) => timeMs > fixMs);
    const others = super.recordsAt(productId, fixMs).filter(({ source }) => source !== PYTH_SOURCE);
    if (!last) return others;
    return [...others, { source: PYTH_SOURCE, last, closing: next ? { by: 'next', next } : { by: 'open' } }];
  }

  signedUpdate(_productId: number, number: bigint): Uint8Array | null {
    const publishTime = Number(number);
    const record = this.#records.get(publishTime);
    if (!record) return null;
    const previousPublishTime =
      [...this.#records.keys()].findLast((one) => one < publishTime) ?? publishTime - 1;
    const price = {
      feed: FEED,
      mantissa: record.price,
      conf: 1n,
      exponent: -5,
      publishTime,
      previousPublishTime,
    };
    return signPythUpdate({ slot: number * BigInt(SLOTS_A_SECOND), prices: [price] });
  }
}

let still: StillHouse;
beforeAll(async () => {
  still = await StillHouse.open({}, undefined, new SignedFeed());
}, 60_000);
afterAll(() => still.close());

test('a receipt carries the signed updates of its fixes, and those after them in their closes', async () => {
  await still.tick('EUR/USD', '1.08390');
  const receipt = await settledReceipt(still, await settledOrderOf(still));
  const places = receipt.entries.filter(({ role }) => role === 'opening' || role === 'settling');
  expect(places.map(({ entry }) => entry.split('|')[0])).toEqual(['fix', 'close', 'fix', 'close']);
  const byIndex = new Map(places.map(({ index, entry }) => [index, entry.split('|')[0]]));
  const updates = receipt.updates ?? [];
  expect(updates.map(({ index, next }) => [byIndex.get(index), next !== null]).sort()).toEqual([
    ['close', true],
    ['close', true],
    ['fix', false],
    ['fix', false],
  ]);
  const report = judged(still.house, receipt);
  expect(report.steps.filter(({ fault }) => fault !== null)).toEqual([]);
  expect(report.isValid).toBe(true);
  expect(report.limits).not.toContain('updates');
  expect(report.steps.find(({ id }) => id === 'updates')?.values).toMatchObject({
    count: 4,
    wanted: 4,
    signers: 3,
    routers: 5,
    known: 0,
  });
});

test('a receipt whose updates are not kept says so, and stays valid', async () => {
  const order = await settledOrderOf(still);
  await still.house.db.owner.query('delete from signed_updates');
  const receipt = await settledReceipt(still, order);
  expect(receipt).not.toHaveProperty('updates');
  const report = judged(still.house, receipt);
  expect([report.isValid, report.limits.includes('updates')]).toEqual([true, true]);
});
