import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited, pricedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { describe, expect, test } from 'vitest';
import { PlacementQueue } from './placement-queue.ts';
import { readSettlementDelay, restAfter, SettlementPace } from './settlement-pace.ts';

const still = forFile(() => pricedHouse(), closeAudited);

const order = { symbol: 'EUR/USD', amount: '10' };

describe('new orders', () => {
  test('pause while settlement is behind, for longer the further it is behind, up to a bound', () => {
    expect([0, 500, 1_000].map((behindMs) => restAfter(100, behindMs))).toEqual([0, 0, 0]);
    expect([1_250, 1_500, 2_000, 3_000].map((behindMs) => restAfter(100, behindMs))).toEqual([
      50, 100, 200, 300,
    ]);
    expect(restAfter(100, 3_600_000)).toBe(300);
    expect(restAfter(5_000, 3_600_000)).toBe(1_000);
  });

  test('wait for the end of the pause and then continue', async () => {
    const rests: PromiseWithResolvers<void>[] = [];
    const pace = new (class extends SettlementPace {
      override rest(): Promise<void> {
        const rest = Promise.withResolvers<void>();
        rests.push(rest);
        return rest.promise;
      }
    })(still.house.db.server);
    const queue = new PlacementQueue(still.placement, { pace });
    const [first, second, third] = (await still.customers(3)) as [string, string, string];
    expect((await queue.place(still.house.request(first, order))).kind).toBe('accepted');
    let isPlaced = false;
    const later = queue.place(still.house.request(second, order)).finally(() => {
      isPlaced = true;
    });
    // Another process, asked later, places its order first.
    const other = new PlacementQueue(still.placement);
    expect((await other.place(still.house.request(third, order))).kind).toBe('accepted');
    expect([isPlaced, rests.length]).toEqual([false, 1]);
    rests[0]?.resolve();
    expect((await later).kind).toBe('accepted');
    rests[1]?.resolve();
    await queue.idle();
  });

  test('are paced by the time since which the first unsettled order is due', async () => {
    const queue = new PlacementQueue(still.placement, { pace: new SettlementPace(still.house.db.server) });
    const customer = await still.house.customer();
    const placed = await queue.place(still.house.request(customer, order));
    await queue.idle();
    const { settlesAtMs } = await still.order((placed as { orderId: number }).orderId);
    const delay = () => readSettlementDelay(still.house.db.server);
    await still.tick('EUR/USD', '1.08401');
    expect(await delay()).toBe(0);
    await still.stepTo(settlesAtMs);
    expect(await delay()).toBe(0);
    await still.stepTo(settlesAtMs + 2_500);
    expect(await delay()).toBeGreaterThanOrEqual(2_500);
    await still.settle();
    expect(await delay()).toBe(0);
  });
});
