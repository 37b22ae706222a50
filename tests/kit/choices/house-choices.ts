import {
  boundsOf,
  type Direction,
  decideOpening,
  decideSettlement,
  GRID_MS,
  gridBefore,
  isCurrent,
  openingWindow,
  openingWorth,
  type Result,
  type SymbolEntry,
  settlementTime,
  settlementWorth,
  type Tick,
} from '../../../packages/trading/src/index.ts';
import { houseValue } from './house-value.ts';
import { type Levers, nonOpening, options } from './listings.ts';
import type { TracedMarket } from './traced-market.ts';

/**
 * One order of a minute at a payout rate of 0.8, and a house that knows the market's price up to now and chooses what it writes, for
 * this order alone. Everything it writes follows the rules of entries; the rules of an order decide what becomes of it.
 */
export interface Order {
  readonly acceptedAtMs: number;
  readonly direction: Direction;
}
export interface Choice {
  readonly name: string;
  /** `freshMs` of the rules; 250 without it. */
  readonly freshMs?: number;
  /** `openWithinMs` of the rules; 0 without it. */
  readonly openWithinMs?: number;
  /** How far the log is behind the market, whose price the house knows by so much earlier. */
  readonly behindMs?: number;
  /** The acceptance is dated when the price was worst for the customer in the 500 ms that it may take. */
  readonly dates?: boolean;
  /** There is no tick where the order would open, if its win is worth more than its loss. */
  readonly hides?: boolean;
  /** It opens at the tick of its window that the house chooses; those before can't open it. */
  readonly waits?: Waiting;
  readonly opening?: Levers;
  readonly settlement?: Levers;
  /** The last seconds up to the settlement without a tick, where it would pay the customer. */
  readonly silentMs?: number;
}
/** The least value, for the house, of an opening that it takes, by how many grid times of the window are left. */
export interface Waiting {
  leastOf(left: number): number;
}

export const DELAY_MS = 1000;
export const FRESH_MS = 200;
const NO_LEVERS: Levers = { heldMs: 0, leavesAway: false };

export function resultOf(market: TracedMarket, asked: Order, choice: Choice): Result {
  const order = choice.dates ? { ...asked, acceptedAtMs: datedOf(market, asked) } : asked;
  const { acceptedAtMs, direction } = order;
  const open = opened(market, order, choice);
  if (open === null) return 'none';
  const slot = market.slotOf(settlementTime(acceptedAtMs, 1));
  const judge = (tick: Tick | null): Result =>
    decideSettlement({
      open: openingWorth(boundsOf(open)),
      settle: tick && isCurrent(tick) ? settlementWorth(boundsOf(tick)) : null,
    })[direction].result;
  const written = options(market, slot, choice.settlement ?? NO_LEVERS, {
    freshMs: choice.freshMs ?? FRESH_MS,
    isHigh: direction === 'down',
  });
  const results = written.length === 0 ? [judge(null)] : written.map(judge);
  const best = (['loss', 'none', 'profit'] as const).find((each) => results.includes(each)) ?? 'profit';
  return best === 'profit' && choice.silentMs ? judge(null) : best;
}

function opened(market: TracedMarket, order: Order, choice: Choice): Tick | null {
  const freshMs = choice.freshMs ?? FRESH_MS;
  const ahead = Math.floor((choice.behindMs ?? 0) / GRID_MS);
  const question = questionOf(order, choice);
  const { fromMs, untilMs } = openingWindow(question);
  const first = market.slotOf(gridBefore(fromMs));
  const last = market.slotOf(untilMs);
  const before: SymbolEntry[] = [market.tick(first, freshMs) ?? market.gap(first)];
  const openingBy = (tick: Tick | null, slot: number) =>
    decideOpening({ ...question, entries: [...before, tick ?? market.gap(slot)] });
  for (let slot = first + 1; ; slot += 1) {
    const found = bestOpening(market, slot, order, choice, (tick) => openingBy(tick, slot).state === 'open');
    const waiting = choice.waits && slot <= last ? nonOpening(market, slot, freshMs) : null;
    if (found) {
      const value = houseValue(market, slot + ahead, order.direction, found.price);
      const least = choice.waits?.leastOf(last - slot) ?? -1;
      if (choice.hides && value < 0 && least <= value) return null;
      if (value >= least || !waiting || openingBy(waiting, slot).state === 'open') return found.tick;
    }
    const entry = waiting ?? market.tick(slot, freshMs);
    const opening = openingBy(entry, slot);
    if (opening.state === 'open') return opening.tick;
    if (opening.state === 'void') return null;
    before.push(entry ?? market.gap(slot));
  }
}

function questionOf({ acceptedAtMs }: Order, { openWithinMs = 0 }: Choice) {
  return {
    acceptedAtMs,
    settlesAtMs: settlementTime(acceptedAtMs, 1),
    delayMs: DELAY_MS,
    openWithinMs,
    loggedAtMs: acceptedAtMs + GRID_MS,
  };
}

/** Of what can be written at a grid time and opens the order: what is worst for the customer. */
function bestOpening(
  market: TracedMarket,
  slot: number,
  { direction }: Order,
  choice: Choice,
  opens: (tick: Tick) => boolean,
): { readonly tick: Tick; readonly price: bigint } | null {
  const isUp = direction === 'up';
  const ticks = options(market, slot, choice.opening ?? NO_LEVERS, {
    freshMs: choice.freshMs ?? FRESH_MS,
    isHigh: isUp,
  });
  let best: { tick: Tick; price: bigint } | null = null;
  for (const tick of ticks) {
    const price = openingWorth(boundsOf(tick))[direction];
    if (best && (isUp ? price <= best.price : price >= best.price)) continue;
    if (opens(tick)) best = { tick, price };
  }
  return best;
}

/** What an opening at each grid time of its window is worth to the house, whether it waits or not. */
export function openingValues(market: TracedMarket, order: Order, choice: Choice): number[] {
  const ahead = Math.floor((choice.behindMs ?? 0) / GRID_MS);
  const { fromMs, untilMs } = openingWindow(questionOf(order, choice));
  const values: number[] = [];
  const first = market.slotOf(gridBefore(fromMs)) + 1;
  for (let slot = first; slot <= market.slotOf(untilMs); slot += 1) {
    const found = bestOpening(market, slot, order, choice, () => true);
    if (found) values.push(houseValue(market, slot + ahead, order.direction, found.price));
  }
  return values;
}

function datedOf(market: TracedMarket, { acceptedAtMs, direction }: Order): number {
  const now = market.slotOf(acceptedAtMs);
  const slots = [now, now - 1, now - 2].sort((one, other) => market.midAt(one) - market.midAt(other));
  const chosen = (direction === 'up' ? slots.at(-1) : slots[0]) as number;
  return acceptedAtMs - (now - chosen) * GRID_MS;
}
