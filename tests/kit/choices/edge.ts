import { type Choice, type Order, type Outcome, outcomeOf } from './house-choices.ts';
import { PAYOUT, VOID_PAYS } from './house-value.ts';
import type { TracedMarket } from './traced-market.ts';

/** What each outcome brings the house, in stakes. */
const WORTH: Readonly<Record<Outcome, number>> = {
  loss: 1,
  profit: -PAYOUT,
  none: 0,
  void: -VOID_PAYS,
  refused: 0,
};

export interface Edge {
  /** The house's gain as a share of all stakes. */
  readonly ofAll: number;
  readonly counts: Readonly<Record<Outcome, number>>;
}

/** What the house gains of all orders by one choice. */
export function edgeOf(market: TracedMarket, orders: readonly Order[], choice: Choice): Edge {
  const counts = { profit: 0, loss: 0, none: 0, void: 0, refused: 0 };
  let sum = 0;
  for (const order of orders) {
    const outcome = outcomeOf(market, order, choice);
    counts[outcome] += 1;
    sum += WORTH[outcome];
  }
  return { ofAll: sum / orders.length, counts };
}
