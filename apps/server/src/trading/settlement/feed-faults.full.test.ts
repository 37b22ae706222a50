import {
  FAULTS,
  type Fault,
  PriceReference,
  RawFeed,
  type Said,
  SOURCES,
  sayAll,
} from '@fairtick/kit/installation/feed-faults.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { readTexts } from '@fairtick/kit/installation/writers.ts';
import { naiveOutcome } from '@fairtick/kit/judges/naive-settlement.ts';
import { GRID_MS, MIN_DELAY_MS } from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';
import type { Product } from '../../market/products.ts';

/**
 * What a customer gets when the feed is wrong or stops while an order opens or settles: every fault on every choice of sources,
 * each on its own product, in one installation.
 */
const RULES = { quietMs: 2_000, outlierBps: 100, quorum: 2, delayMs: MIN_DELAY_MS };
const STAKE = 10_000_000n;
/** Duration of a fault: longer than any record counts. */
const FAULT_MS = 8_000;
/** Takes five seconds; longer on a busy machine. */
const WITHIN_MS = 120_000;

const SETS: readonly (readonly string[])[] = [
  ['a'],
  ['b'],
  ['c'],
  ['a', 'b'],
  ['a', 'c'],
  ['b', 'c'],
  [...SOURCES],
];
/** With one of these faults a source has no record that counts. */
const SILENT = new Set<Fault>([
  'down',
  'stale',
  'frozen',
  'zero',
  'negative',
  'not a time',
  'before all times',
  'without an end',
]);

/** One fault on some sources of one product, whose true price rises or falls by a point a second. */
interface Cell {
  readonly product: Product;
  readonly fault: Fault;
  readonly sources: readonly string[];
  readonly drift: 1 | -1;
  readonly reference: PriceReference;
  readonly last: Map<string, Said>;
}

function cellsOf(products: readonly Product[]): Cell[] {
  const kinds = FAULTS.flatMap((fault) => SETS.map((sources) => ({ fault, sources })));
  if (products.length < kinds.length) throw new Error(`${kinds.length} cells need as many products`);
  return kinds.map((kind, place) => {
    const product = products[place] as Product;
    const reference = new PriceReference(RULES, product.decimals);
    return { ...kind, product, drift: place % 2 === 0 ? 1 : -1, reference, last: new Map() };
  });
}

/** An installation whose feed gives each cell its quotes, correct or faulty. */
class FaultyMarket {
  readonly still: StillHouse;
  readonly cells: readonly Cell[];
  readonly #feed: RawFeed;
  #startMs: number;
  #hasOrders = false;

  constructor(still: StillHouse, feed: RawFeed) {
    this.still = still;
    this.#feed = feed;
    this.cells = cellsOf(still.house.products.all);
    this.#startMs = still.nowMs;
  }

  /** Runs to a time with quotes at every grid time, and the writer at every fourth second, which makes up for the others. */
  async runTo(timeMs: number, isFaulty: boolean): Promise<void> {
    while (this.still.nowMs < timeMs) {
      const until = Math.min(timeMs, this.still.nowMs + 4_000);
      for (let gridMs = this.still.nowMs + GRID_MS; gridMs <= until; gridMs += GRID_MS)
        this.#say(gridMs, isFaulty);
      await this.still.stepTo(until);
    }
  }

  #say(timeMs: number, isFaulty: boolean): void {
    const moved = Math.floor((timeMs - this.#startMs) / 1000);
    for (const { product, fault, sources, drift, reference, last } of this.cells) {
      const faults = new Map(isFaulty ? sources.map((source) => [source, fault]) : []);
      const said = sayAll({ timeMs, middle: 500_000n + BigInt(moved * drift) }, faults, last);
      this.#feed.say(product.id, said, timeMs);
      reference.step(timeMs, said, { isBusy: this.#hasOrders });
    }
  }

  /** Runs to a time without any quote. */
  async end(timeMs: number): Promise<void> {
    while (this.still.nowMs < timeMs) {
      for (const { reference } of this.cells)
        reference.step(this.still.nowMs + GRID_MS, [], { isBusy: this.#hasOrders });
      await this.still.stepBy(GRID_MS);
    }
  }

  /** Two orders on each product, up and down, all accepted now. */
  async buy(): Promise<void> {
    const wanted = this.cells.flatMap(({ product }) =>
      (['up', 'down'] as const).map((direction) => ({ symbol: product.symbol, direction })),
    );
    const customers = await this.still.customers(wanted.length);
    const requests = wanted.map((order, place) =>
      this.still.house.request(customers[place] as string, { ...order, amount: '10', minutes: 1 }),
    );
    const answers = await this.still.place(requests);
    this.#hasOrders = true;
    expect(answers.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
  }
}

type Judged = {
  readonly cell: Cell;
  readonly direction: string;
  readonly result: string | null;
  readonly credited: bigint | null;
  readonly reason: string | null;
};

/** Compares the log and every order with the references, and returns each order's outcome. */
async function judge({ still, cells }: FaultyMarket): Promise<Judged[]> {
  const log = await readTexts(still.house);
  for (const { product, fault, sources, reference } of cells) {
    const story = log
      .map((text) => text.split('|'))
      .filter(([kind, , symbol]) => (kind === 'tick' || kind === 'gap') && symbol === product.symbol)
      .map(([kind, , , , , value]) => `${kind} ${value}`);
    expect({ fault, sources, story }).toEqual({ fault, sources, story: reference.story });
  }
  const judged: Judged[] = [];
  for (const order of await still.orders()) {
    const shown = await still.shown(order.customerId, order.id);
    const cell = cells.find(({ product }) => product.symbol === shown.symbol) as Cell;
    const expected = naiveOutcome(log, shown.acceptance.text, { decimals: 6 });
    const about = `${cell.fault} ${cell.sources} ${shown.direction}`;
    expect({
      about,
      result: shown.result,
      reason: shown.voidReason,
      credited: order.credited,
      openPrice: shown.openPrice,
      settlePrice: shown.settlePrice,
    }).toEqual({ about, ...expected });
    judged.push({ cell, direction: shown.direction, ...order, reason: order.voidReason });
  }
  expect(judged).toHaveLength(cells.length * 2);
  expect(await still.house.violations()).toEqual([]);
  return judged;
}

/** Checks what must hold under any price rules. */
function expectFair(judged: readonly Judged[], moment: 'opening' | 'settlement'): void {
  let stopped = 0;
  for (const { cell, direction, result, credited, reason } of judged) {
    const about = `${cell.fault} ${cell.sources} ${direction}: ${result} ${reason}`;
    const isRight = (direction === 'up') === (cell.drift === 1);
    const isSilent = SILENT.has(cell.fault) && cell.sources.length >= 2;
    if (cell.sources.length === 1) {
      // The median keeps a price within the range of the two good sources.
      expect([about, result]).toEqual([about, isRight ? 'profit' : 'loss']);
    } else if (isSilent && moment === 'opening') {
      expect([about, result, credited, reason]).toEqual([about, 'none', STAKE, 'no_price']);
      stopped += 1;
    }
  }
  expect(stopped).toBe(moment === 'opening' ? SILENT.size * 4 * 2 : 0);
}

describe('every fault on every choice of sources', () => {
  let still: StillHouse;
  afterEach(() => still?.close());

  async function open(): Promise<FaultyMarket> {
    const feed = new RawFeed(RULES);
    still = await StillHouse.open({}, undefined, feed);
    const market = new FaultyMarket(still, feed);
    await market.runTo(still.nowMs + 2_000, false);
    return market;
  }

  test(
    'while orders open: each order’s outcome matches a naive reading of the log',
    async () => {
      const market = await open();
      await market.buy();
      const boughtMs = still.nowMs;
      await market.runTo(boughtMs + FAULT_MS, true);
      await market.runTo(boughtMs + 62_000, false);
      await market.end(boughtMs + 63_000);
      await still.settle();
      expectFair(await judge(market), 'opening');
    },
    WITHIN_MS,
  );

  test(
    'while orders settle: each order’s outcome matches a naive reading of the log',
    async () => {
      const market = await open();
      await market.buy();
      const boughtMs = still.nowMs;
      await market.runTo(boughtMs + 62_000 - FAULT_MS, false);
      await market.runTo(boughtMs + 63_000, true);
      await still.settle();
      expectFair(await judge(market), 'settlement');
    },
    WITHIN_MS,
  );
});
