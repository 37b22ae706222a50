import { afterAll, describe, expect, test } from 'vitest';
import { naiveOutcome } from '../../test/naive-settlement.ts';
import { StillHouse } from '../../test/still-house.ts';
import { readTexts } from '../../test/writers.ts';
import { advanceSettlementHead, settleDueOrders, voidUnopenedOrders } from './settle-orders.ts';

const ORDERS = 300;
const SYMBOLS = ['EUR/USD', 'USD/JPY', 'BTC/USDT'];
const STARTS: Readonly<Record<string, number>> = {
  'EUR/USD': 108_400,
  'USD/JPY': 151_000,
  'BTC/USDT': 6_400_000,
};
const FIRST = 10_000_000_000n;

/** Numbers from 0 to below `below`, the same for the same seed. */
type Dice = (below: number) => number;

function diceOf(seed: number): Dice {
  let state = BigInt(seed);
  return (below) => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & 0xffff_ffff_ffff_ffffn;
    return Number((state >> 33n) % BigInt(below));
  };
}

/** A market that moves by a few points, falls silent, lies now and then, and whose writer dies. */
class Weather {
  readonly still: StillHouse;
  readonly #dice: Dice;
  readonly #prices = new Map(Object.entries(STARTS));
  readonly #silentUntil = new Map<string, number>();

  constructor(still: StillHouse, dice: Dice) {
    this.still = still;
    this.#dice = dice;
  }

  /** One step of the log, with whatever happens in it. */
  async pass(): Promise<void> {
    const dice = this.#dice;
    const kind = dice(100);
    if (kind < 2) return this.still.restart(this.still.nowMs + 250 * (1 + dice(60)));
    if (kind < 4) return this.still.stepBy(1_000 + dice(8_000));
    const ms = kind < 30 ? 250 + dice(900) : 250 * (1 + dice(3));
    for (const symbol of SYMBOLS) this.#move(symbol, ms);
    await this.still.stepBy(ms);
  }

  #move(symbol: string, ms: number): void {
    const dice = this.#dice;
    const { nowMs, feed, house } = this.still;
    if (dice(150) === 0) this.#silentUntil.set(symbol, nowMs + 500 + dice(9_000));
    if ((this.#silentUntil.get(symbol) ?? 0) > nowMs || dice(4) === 0) return;
    const product = house.product(symbol);
    // Steps of a point or two, so that prices often stand where they stood.
    const price = (this.#prices.get(symbol) as number) + dice(5) - 2;
    this.#prices.set(symbol, price);
    for (const source of ['a', 'b', 'c']) {
      if (dice(10) < 3) continue;
      const told = dice(60) === 0 ? price + Math.floor(price / 10) : price + dice(3) - 1;
      const text = (told / 10 ** product.decimals).toFixed(product.decimals);
      const receivedMs = nowMs + 1 + dice(ms);
      feed.quote(product, source, text, receivedMs, receivedMs - dice(400));
    }
  }
}

async function buySome(still: StillHouse, customers: readonly string[], dice: Dice): Promise<number> {
  const requests = Array.from({ length: 1 + dice(4) }, () =>
    still.house.request(customers[dice(customers.length)] as string, {
      symbol: SYMBOLS[dice(SYMBOLS.length)] as string,
      // Odd amounts, so that there is something to round.
      amount: `${10 + dice(40)}.${String(dice(1_000_000)).padStart(6, '0')}`,
      direction: dice(2) === 0 ? 'up' : 'down',
      minutes: [1, 1, 3, 5][dice(4)] as number,
    }),
  );
  return (await still.place(requests)).filter(({ kind }) => kind === 'accepted').length;
}

/** An engine that wakes now and then, with chunks of its own size. */
async function settleSome(still: StillHouse, dice: Dice): Promise<void> {
  if (dice(2) === 0) await voidUnopenedOrders(still.settlement);
  await settleDueOrders(still.settlement, { limit: 1 + dice(40) });
  if (dice(3) === 0) await advanceSettlementHead(still.settlement.pool);
}

describe('300 orders in a rough market', () => {
  let still: StillHouse;
  afterAll(() => still?.close());

  test.each([[1], [20_260_601]])('settle as a naive reader of the log would (seed %i)', async (seed) => {
    await still?.close();
    const dice = diceOf(seed);
    still = await StillHouse.open({ staleMs: 3_000, delayMs: 1_000, settleBoundMs: 2_000, outlierBps: 50 });
    const weather = new Weather(still, dice);
    const customers = await still.customers(25);
    let placed = 0;
    for (let step = 0; placed < ORDERS; step += 1) {
      if (step > 5_000) throw new Error(`only ${placed} orders were accepted`);
      await weather.pass();
      if (dice(3) > 0) placed += await buySome(still, customers, dice);
      if (dice(6) === 0) await settleSome(still, dice);
    }
    const lastMs = Math.max(...(await still.orders()).map(({ settlesAtMs }) => settlesAtMs));
    while (still.nowMs <= lastMs) {
      await weather.pass();
      if (dice(6) === 0) await settleSome(still, dice);
    }
    await still.stepBy(250);
    await still.settle();

    const log = await readTexts(still.house);
    const owed = new Map(customers.map((customer) => [customer, FIRST]));
    const seen = new Map<string, number>();
    for (const order of await still.orders()) {
      const shown = await still.shown(order.customerId, order.id);
      const expected = naiveOutcome(log, shown.acceptance.text, {
        batch: Math.floor(order.id / 1024),
        decimals: 6,
      });
      expect({
        order: order.id,
        result: shown.result,
        reason: shown.voidReason,
        credited: order.credited,
        openPrice: shown.openPrice,
        settlePrice: shown.settlePrice,
      }).toEqual({ order: order.id, ...expected });
      const stake = BigInt(shown.amount.replace('.', ''));
      owed.set(order.customerId, (owed.get(order.customerId) as bigint) - stake + expected.credited);
      const kind = expected.reason ?? expected.result;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    // A run in which nothing unusual happened would prove little.
    for (const kind of ['profit', 'loss', 'none', 'not_logged', 'no_open', 'gap', 'stale']) {
      expect(`${kind}: ${(seen.get(kind) ?? 0) > 0}`).toBe(`${kind}: true`);
    }
    for (const [customer, available] of owed) {
      expect(await still.house.balance(customer)).toEqual({ available, held: 0n });
    }
    expect(await still.house.violations()).toEqual([]);
  });
});
