import {
  boundsOf,
  type Direction,
  decideOpening,
  decideSettlement,
  GRID_MS,
  gridBefore,
  isCurrent,
  LOGGED_BEFORE_MS,
  lastOpening,
  MIN_DELAY_MS,
  openingWorth,
  type Result,
  type SymbolEntry,
  settlementTime,
  settlementWorth,
  type Tick,
} from '../../../packages/trading/src/index.ts';
import { houseValue, VOID_PAYS } from './house-value.ts';
import { type Levers, nonOpening, options } from './listings.ts';
import type { TracedMarket } from './traced-market.ts';

/**
 * One order of a minute at a payout rate of 0.8, and a house that knows the market's price up to now and chooses what it writes, for
 * this order alone. Everything it writes follows the rules of entries; the rules of an order decide what becomes of it.
 */
export interface Order {
  /** The opening time that the customer names; or that an honest server gives an order without a name. */
  readonly opensAtMs: number;
  readonly direction: Direction;
}
export type Outcome = Result | 'void' | 'refused';

export interface Choice {
  readonly name: string;
  /** `openWithinMs` of the rules; 0 without it. */
  readonly openWithinMs?: number;
  /** How far the log is behind the market, whose price the house knows by so much earlier. */
  readonly behindMs?: number;
  /** The opening times that the house can choose from, and when it chooses; all from the order's own. */
  readonly instants?: { readonly fromMs: number; readonly toMs: number; readonly chosenMs: number };
  /** The order is refused at the last moment at which it could be logged, if its win is worth more than its loss. */
  readonly refuses?: boolean;
  /** There is no tick where the order would open, if that is worth more than the void costs. */
  readonly hides?: boolean;
  /** It opens at the tick of its window that the house chooses; those before can't open it. */
  readonly waits?: Waiting;
  readonly opening?: Levers;
  readonly settlement?: Levers;
  /** No tick at the settlement, where it would pay the customer. */
  readonly isSilent?: boolean;
}
/** The least value, for the house, of an opening that it takes, by how many grid times of the window are left. */
export interface Waiting {
  leastOf(left: number): number;
}

const DELAY_MS = MIN_DELAY_MS;
const NO_LEVERS: Levers = { heldMs: 0, leavesAway: false };

export function outcomeOf(market: TracedMarket, asked: Order, choice: Choice): Outcome {
  const order = { ...asked, opensAtMs: chosenInstant(market, asked, choice) };
  const { opensAtMs, direction } = order;
  if (choice.refuses && expected(market, order, opensAtMs - LOGGED_BEFORE_MS, choice) < 0) return 'refused';
  const open = opened(market, order, choice);
  if (open === null) return 'void';
  const slot = market.slotOf(settlementTime(opensAtMs, 1));
  const judge = (tick: Tick | null): Result =>
    decideSettlement({
      open: openingWorth(boundsOf(open)),
      settle: tick && isCurrent(tick) ? settlementWorth(boundsOf(tick)) : null,
    })[direction].result;
  const levers = choice.settlement ?? NO_LEVERS;
  const written = options(market, slot, levers, direction === 'down');
  const results = written.length === 0 ? [judge(null)] : written.map(judge);
  const best = (['loss', 'none', 'profit'] as const).find((each) => results.includes(each)) ?? 'profit';
  return best === 'profit' && choice.isSilent ? judge(null) : best;
}

/** What an order is worth to the house at a log's time: by the price of its opening, if the house knows it by then. */
function expected(
  market: TracedMarket,
  { opensAtMs, direction }: Order,
  timeMs: number,
  { behindMs = 0 }: Choice,
): number {
  const knownMs = timeMs + behindMs;
  const pricedMs = Math.min(opensAtMs - market.rules.lagMs, knownMs);
  return houseValue(market, knownMs, direction, market.midAt(pricedMs));
}

function chosenInstant(market: TracedMarket, order: Order, choice: Choice): number {
  const { opensAtMs } = order;
  if (!choice.instants) return opensAtMs;
  const { fromMs, toMs, chosenMs } = choice.instants;
  let [best, found] = [Number.NEGATIVE_INFINITY, opensAtMs];
  for (let at = opensAtMs + fromMs; at <= opensAtMs + toMs; at += GRID_MS) {
    const value = expected(market, { ...order, opensAtMs: at }, opensAtMs + chosenMs, choice);
    if (value > best) [best, found] = [value, at];
  }
  return found;
}

function opened(market: TracedMarket, order: Order, choice: Choice): Tick | null {
  const question = questionOf(order, choice);
  const first = market.slotOf(gridBefore(order.opensAtMs));
  const last = market.slotOf(lastOpening(question));
  const before: SymbolEntry[] = [market.tick(first) ?? market.gap(first)];
  const openingBy = (tick: Tick | null, slot: number) =>
    decideOpening({ ...question, entries: [...before, tick ?? market.gap(slot)] });
  for (let slot = first + 1; ; slot += 1) {
    const found = bestOpening(market, slot, order, choice, (tick) => openingBy(tick, slot).state === 'open');
    const waiting = choice.waits && slot <= last ? nonOpening(market, slot) : null;
    if (found) {
      const value = openingValue(market, slot, order, choice, found.price);
      const least = choice.waits?.leastOf(last - slot) ?? -1;
      if (choice.hides && value < -VOID_PAYS && least <= value) return null;
      if (value >= least || !waiting || openingBy(waiting, slot).state === 'open') return found.tick;
    }
    const entry = waiting ?? market.tick(slot);
    const opening = openingBy(entry, slot);
    if (opening.state === 'open') return opening.tick;
    if (opening.state === 'void') return null;
    before.push(entry ?? market.gap(slot));
  }
}

function questionOf({ opensAtMs }: Order, { openWithinMs = 0 }: Choice) {
  return {
    opensAtMs,
    settlesAtMs: settlementTime(opensAtMs, 1),
    delayMs: DELAY_MS,
    openWithinMs,
    loggedAtMs: opensAtMs - LOGGED_BEFORE_MS,
  };
}

const openingValue = (
  market: TracedMarket,
  slot: number,
  { direction }: Order,
  { behindMs = 0 }: Choice,
  price: bigint,
): number => houseValue(market, market.timeOf(slot) + behindMs, direction, Number(price));

/** Of what can be written at a grid time and opens the order: what is worst for the customer. */
function bestOpening(
  market: TracedMarket,
  slot: number,
  { direction }: Order,
  choice: Choice,
  opens: (tick: Tick) => boolean,
): { readonly tick: Tick; readonly price: bigint } | null {
  const isUp = direction === 'up';
  let best: { tick: Tick; price: bigint } | null = null;
  for (const tick of options(market, slot, choice.opening ?? NO_LEVERS, isUp)) {
    const price = openingWorth(boundsOf(tick))[direction];
    if (best && (isUp ? price <= best.price : price >= best.price)) continue;
    if (opens(tick)) best = { tick, price };
  }
  return best;
}

/** What an opening at each grid time of its window is worth to the house, whether it waits or not. */
export function openingValues(market: TracedMarket, order: Order, choice: Choice): number[] {
  const values: number[] = [];
  const last = market.slotOf(lastOpening(questionOf(order, choice)));
  for (let slot = market.slotOf(order.opensAtMs); slot <= last; slot += 1) {
    const found = bestOpening(market, slot, order, choice, () => true);
    if (found) values.push(openingValue(market, slot, order, choice, found.price));
  }
  return values;
}
