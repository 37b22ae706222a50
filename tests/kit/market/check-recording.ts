/** Checks one recording, from its file to its tallies. */
import { readTexts } from '../installation/writers.ts';
import {
  compareCandles,
  compareOrders,
  comparePrices,
  countEqualRows,
  readOrders,
  type Tally,
} from './compare.ts';
import { PriceHistory } from './naive/price-history.ts';
import { quotesOf } from './naive/quotes-of-rows.ts';
import { planOrders, play, startOf } from './play.ts';
import type { Recording } from './recordings.ts';

export interface Checked {
  readonly tallies: readonly Tally[];
  /** Further information, one line each. */
  readonly notes: readonly string[];
}

export interface CheckOptions {
  /** For a recording of ticks: the number of batches of orders, and of customers who each buy once per batch. */
  readonly batches: number;
  readonly customers: number;
  readonly seed: number;
  /** Above this many rows, stretches without orders are appended many grid times at once. */
  readonly largeRows: number;
  readonly onProgress: (share: number) => void;
}

export async function checkRecording(recording: Recording, options: CheckOptions): Promise<Checked> {
  const history = new PriceHistory(quotesOf(recording.read, recording.decimals), startOf(recording));
  const isTicks = recording.read.form === 'ticks';
  const planned = history.prices.map(({ plannedMs }) => plannedMs);
  const plan = planOrders(recording.symbol, planned, { ...options, batches: isTicks ? options.batches : 0 });
  const { house, steps, refusals } = await play(recording, {
    batches: plan.batches,
    isQuick: !isTicks || planned.length > options.largeRows,
    onProgress: options.onProgress,
  });
  try {
    const texts = await readTexts(house);
    const orders = await readOrders(house);
    const prices = comparePrices(texts, recording, history);
    const notes = [`${history.prices.length} quotes, ${texts.length} entries, ${steps} appends`];
    const violations = await house.violations();
    if (violations.length > 0) throw new Error(`the audit found: ${violations.join('; ')}`);
    const candles = await compareCandles(house, recording.symbol, texts);
    if (!isTicks) {
      const { equal, rows } = await countEqualRows(house, recording, recording.read);
      notes.push(`${equal} of ${rows} recorded candles have the prices of the served one-minute candle`);
      return { tallies: [prices, ...candles], notes };
    }
    const judgements = await compareOrders(house, { history, refusals, orders });
    const judged = judgements.byRecording.compared;
    notes.push(
      `${plan.orders} orders placed: ${judged} taken (${judgements.voids} void), ${refusals.length} refused`,
    );
    const { byRecording, balances, refusals: refused } = judgements;
    return { tallies: [prices, byRecording, balances, refused, ...candles], notes };
  } finally {
    await house.close();
  }
}
