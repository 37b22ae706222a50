/** Compares the product's results with the naive computation's. */

import { readCandles, type StoredCandle } from '../../../apps/server/src/market/candles/candle-queries.ts';
import type { Recording as ReadRecording } from '../../../apps/server/src/market/feeds/recording.ts';
import type { House } from '../installation/house.ts';
import {
  ALL_PERIODS,
  type ExpectedCandle,
  expectedCandles,
  type TestPeriod,
  ticksIn,
} from '../judges/candles.ts';
import { judgeByRecording, type Outcome, opensAt, settlesAt, type TakenOrder } from './naive/judge-orders.ts';
import { type PriceHistory, QUARTER_MS, ticksOf } from './naive/price-history.ts';
import { pointsOf } from './naive/quotes-of-rows.ts';
import type { Refusal } from './play.ts';

/** Counts comparisons and describes the differences. */
export class Tally {
  readonly what: string;
  compared = 0;
  readonly mismatches: string[] = [];

  constructor(what: string) {
    this.what = what;
  }

  check(name: string, actual: unknown, expected: unknown): void {
    this.compared += 1;
    const [left, right] = [show(actual), show(expected)];
    if (left !== right) this.mismatches.push(`${name}: ${left}, should be ${right}`);
  }
}

function show(value: unknown): string {
  return JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? `${each}` : each)) ?? 'nothing';
}

interface Market {
  readonly symbol: string;
  readonly decimals: number;
}

/** Compares the log's prices and gaps with those of the recording. Ticks that restate a price are left out. */
export function comparePrices(texts: readonly string[], market: Market, history: PriceHistory): Tally {
  const tally = new Tally('prices');
  const logged = texts
    .map((text) => text.split('|'))
    .filter(([kind, , symbol]) => (kind === 'tick' || kind === 'gap') && symbol === market.symbol);
  const ticks = ticksIn(texts, market.symbol)
    .filter(({ timeMs, receivedMs }) => timeMs - receivedMs < QUARTER_MS)
    .map(({ timeMs, price }) => ({ timeMs, price }));
  const expected = ticksOf(history);
  for (let place = 0; place < Math.max(ticks.length, expected.length); place += 1) {
    tally.check(`price ${place}`, ticks[place], expected[place]);
  }
  // Further gaps of a stop are there for orders that wait.
  const stops = logged
    .filter(([kind], place) => kind === 'gap' && logged[place - 1]?.[0] !== 'gap')
    .map(([, , , , timeMs]) => Number(timeMs));
  for (let place = 0; place < Math.max(stops.length, history.stops.length); place += 1) {
    tally.check(`stop ${place}`, stops[place], history.stops[place]);
  }
  return tally;
}

export interface TakenOrderRow extends TakenOrder {
  readonly customerId: string;
  readonly outcome: Outcome | null;
}

export interface OrderTallies {
  readonly byRecording: Tally;
  readonly balances: Tally;
  readonly voids: number;
  readonly refusals: Tally;
}

export async function compareOrders(
  house: House,
  {
    history,
    refusals,
    orders,
  }: {
    history: PriceHistory;
    refusals: readonly Refusal[];
    orders: readonly TakenOrderRow[];
  },
): Promise<OrderTallies> {
  const tallies = {
    byRecording: new Tally('orders'),
    balances: new Tally('balances'),
    refusals: new Tally('refusals'),
  };
  const won = new Map<string, bigint>();
  for (const order of orders) {
    const expected = judgeByRecording(order, history);
    const terms = { opensMs: order.opensMs, settlesMs: order.settlesMs, ...order.outcome };
    const named = { opensMs: opensAt(order), settlesMs: settlesAt(order) };
    tallies.byRecording.check(`order ${order.id}`, terms, { ...named, ...expected });
    if (history.takesOrdersAt(order.acceptedMs) === false) {
      tallies.refusals.check(`order ${order.id}`, 'accepted', 'PRICE_UNAVAILABLE');
    }
    won.set(order.customerId, (won.get(order.customerId) ?? 0n) + expected.credited - order.stake);
  }
  for (const [customerId, change] of won) {
    const expected = { available: 10_000_000_000n + change, held: 0n };
    tallies.balances.check(`customer ${customerId}`, await house.balance(customerId), expected);
  }
  for (const { atMs, code } of refusals) {
    const isTaken = history.takesOrdersAt(atMs);
    // A single delay of this machine says nothing about the rules.
    if (isTaken === null || code === 'LATE') continue;
    tallies.refusals.check(`at ${atMs}`, code, isTaken ? 'accepted' : 'PRICE_UNAVAILABLE');
  }
  const voids = orders.filter(({ outcome }) => outcome?.voidReason != null).length;
  return { ...tallies, voids };
}

export async function readOrders(house: House): Promise<TakenOrderRow[]> {
  const { rows } = await house.db.owner.query<Record<string, string | null>>(
    'select * from orders_and_results order by id',
  );
  return rows.map((row) => {
    const number = (name: string) => Number(row[name]);
    const price = (name: string) => (row[name] == null ? null : BigInt(row[name]));
    return {
      id: number('id'),
      customerId: row.customer_id as string,
      direction: number('direction') === 1 ? 'up' : 'down',
      minutes: number('minutes'),
      stake: BigInt(row.stake as string),
      payoutRateBps: number('payout_rate_bps'),
      acceptedMs: number('accepted_at_ms'),
      opensMs: number('opens_at_ms'),
      settlesMs: number('settles_at_ms'),
      outcome:
        row.result == null
          ? null
          : {
              openPrice: price('open_price'),
              settlePrice: price('settle_price'),
              result: number('result') === 1 ? 'profit' : number('result') === -1 ? 'loss' : 'none',
              credited: BigInt(row.credited as string),
              voidReason: row.void_reason ?? null,
            },
    };
  });
}

/** Compares all candles of all six periods with those of the log's ticks, read page by page as the API reads them. */
export async function compareCandles(
  house: House,
  symbol: string,
  texts: readonly string[],
): Promise<Tally[]> {
  const ticks = ticksIn(texts, symbol);
  const tallies: Tally[] = [];
  for (const period of ALL_PERIODS) {
    const tally = new Tally(`candles of ${period}`);
    const expected = expectedCandles(ticks, period, house.product(symbol).day);
    const served = await allCandles(house, symbol, period);
    for (let place = 0; place < Math.max(served.length, expected.length); place += 1) {
      tally.check(`${period} ${place}`, inOrder(served[place]), inOrder(expected[place]));
    }
    tallies.push(tally);
  }
  return tallies;
}

const inOrder = (candle: StoredCandle | ExpectedCandle | undefined) =>
  candle && [
    candle.timeMs,
    candle.open,
    candle.high,
    candle.low,
    candle.close,
    candle.volume,
    candle.turnover,
  ];

async function allCandles(house: House, symbol: string, period: TestPeriod): Promise<StoredCandle[]> {
  const candles: StoredCandle[] = [];
  const product = house.product(symbol);
  for (;;) {
    const beforeMs = candles[0]?.timeMs ?? null;
    const page = await readCandles(house.db.server, { product, period, beforeMs, limit: 1_000 });
    if (page.length === 0) return candles;
    candles.unshift(...page);
  }
}

/** The number of recorded minutes that equal the served candle: for information only, as a close falls into the next minute. */
export async function countEqualRows(
  house: House,
  market: Market,
  recording: ReadRecording,
): Promise<{ equal: number; rows: number }> {
  const served = new Map(
    (await allCandles(house, market.symbol, '1m')).map((candle) => [candle.timeMs, candle]),
  );
  const equal = recording.rows.filter(({ timeMs, prices }) => {
    const candle = served.get(timeMs);
    const [open, high, low, close] = prices.map((text) => pointsOf(text, market.decimals));
    return (
      candle && candle.open === open && candle.high === high && candle.low === low && candle.close === close
    );
  });
  return { equal: equal.length, rows: recording.rows.length };
}
