import {
  type Direction,
  decideOpening,
  decideSettlement,
  GRID_MS,
  gridBefore,
  type Quote,
  type Result,
  type SymbolEntry,
  settlementTime,
  type Tick,
} from '../../../packages/trading/src/index.ts';
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
  /** Where whoever looks finds it. */
  readonly shows: string;
  /** When the order is accepted, at most 500 ms before now. */
  readonly accepts?: (market: TracedMarket, order: Order) => number;
  /** What each source's quote is at the tick that may open the order. */
  readonly opensBy?: (market: TracedMarket, slot: number, order: Order) => Listed;
  /** Whether there is no tick where it would open. */
  readonly hides?: (market: TracedMarket, open: Tick, order: Order) => boolean;
  readonly settlesBy?: (market: TracedMarket, slot: number, order: Order, openPrice: bigint) => Listed;
  /** The last seconds before the settlement in which only ticks are written that don't pay the customer. */
  readonly silentMs?: number;
}
export type Listed = readonly (Quote | undefined)[];

export const DELAY_MS = 1000;
export const PAYOUT = 0.8;
const isUp = ({ direction }: Order): boolean => direction === 'up';
/** Up wants a low opening price and a high settlement price; the house wants them the other way round. */
const worse = (one: bigint, other: bigint, wantsHigh: boolean): boolean =>
  wantsHigh ? one > other : one < other;

export function resultOf(market: TracedMarket, asked: Order, choice: Choice): Result {
  const order = { ...asked, acceptedAtMs: choice.accepts?.(market, asked) ?? asked.acceptedAtMs };
  const { acceptedAtMs, direction } = order;
  const settlesAtMs = settlementTime(acceptedAtMs, 1);
  const open = opened(market, order, settlesAtMs, choice);
  if (open === null || choice.hides?.(market, open, order)) return 'none';
  const slot = market.slotOf(settlesAtMs);
  const listed = choice.settlesBy?.(market, slot, order, open.price);
  const exact = market.tick(slot, listed ? market.priced(slot, listed) : undefined);
  const judge = (tick: Tick): Result =>
    decideSettlement({ openPrice: open.price, settleTick: tick, settlesAtMs })[direction].result;
  const pays = (tick: Tick): boolean => judge(tick) === 'profit';
  const before = lastBefore(market, slot, choice.silentMs ?? 0, pays);
  if (exact && !(choice.silentMs && pays(exact) && !pays(before))) return judge(exact);
  return judge(before);
}

function opened(market: TracedMarket, order: Order, settlesAtMs: number, choice: Choice): Tick | null {
  const fromMs = order.acceptedAtMs + DELAY_MS;
  const first = market.slotOf(gridBefore(fromMs));
  const entries: SymbolEntry[] = [];
  for (let slot = first; slot <= first + 22; slot += 1) {
    const listed = slot > first ? choice.opensBy?.(market, slot, order) : undefined;
    const tick = market.tick(slot, listed ? market.priced(slot, listed) : undefined);
    const timeMs = market.timeOf(slot);
    entries.push(tick ?? { kind: 'gap', n: slot + 1, timeMs, reason: 'quorum', quotes: [] });
    const opening = decideOpening({
      acceptedAtMs: order.acceptedAtMs,
      settlesAtMs,
      delayMs: DELAY_MS,
      loggedAtMs: order.acceptedAtMs + GRID_MS,
      entries,
      logTimeMs: timeMs,
    });
    if (opening.state !== 'pending') return opening.state === 'open' ? opening.tick : null;
  }
  throw new Error('an opening that nothing decides');
}

/** The last tick that is written before the settlement time. */
function lastBefore(
  market: TracedMarket,
  slot: number,
  silentMs: number,
  pays: (tick: Tick) => boolean,
): Tick {
  let last = slot - 1;
  for (; ; last -= 1) {
    const tick = market.tick(last);
    const isHidden = tick !== null && (slot - last) * GRID_MS <= silentMs && pays(tick);
    if (tick && !isHidden) return tick;
  }
}

/* ---- choices ---- */

export const HONEST: Choice = { name: 'none', shows: '' };

/** The standard normal distribution, to some seven digits (Abramowitz and Stegun 26.2.17). */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const sum =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
  return z > 0 ? 1 - tail : tail;
}

/** The order is void where its win is worth more than its loss, by what the market does until so long after the tick. */
export const hole = (laterMs: number): Choice => ({
  name: laterMs === 0 ? 'no tick where it would open' : `the same, the log ${laterMs / 1000} s behind`,
  shows: laterMs === 0 ? 'void `hole`, or `not_logged`' : 'the same, and the clock of the log',
  hides: (market, open, order) => {
    const slot = market.slotOf(open.timeMs);
    const ahead = Math.floor(laterMs / GRID_MS);
    const moved = market.midAt(slot + ahead) - Number(open.price);
    const left = market.minuteMove(slot) * Math.sqrt(Math.max(0.01, (60_000 - laterMs) / 60_000));
    const chance = normal(((isUp(order) ? 1 : -1) * moved) / Math.max(left, 1e-9));
    return 1 - (1 + PAYOUT) * chance < 0;
  },
});

export const silence = (silentMs: number): Choice => ({
  name: silentMs === GRID_MS ? 'no tick at the settlement' : `the same, up to ${silentMs / 1000} s`,
  shows: 'void `no_settle`; numbers and times of the log',
  silentMs,
});

/** Of each source the quote of the last `withinMs` that is worst for the customer, as if it had sent nothing since. */
const held = (
  market: TracedMarket,
  slot: number,
  withinMs: number,
  wantsHigh: boolean,
  isAllowed: (quote: Quote) => boolean,
): Listed =>
  market.latest(slot).map((latest, source) => {
    const timeMs = market.timeOf(slot);
    let worst = latest;
    for (const quote of market.quotesOf(source, slot - Math.ceil(withinMs / GRID_MS) - 1, slot)) {
      if (timeMs - quote.sourceMs > Math.min(withinMs, market.rules.staleMs) || !isAllowed(quote)) break;
      if (worst && worse(quote.price, worst.price, wantsHigh)) worst = quote;
    }
    return worst;
  });

export const heldAtSettlement = (withinMs: number): Choice => ({
  name: `quotes held back at the settlement, up to ${withinMs / 1000} s`,
  shows: "a source's absence; quotes against a recording",
  settlesBy: (market, slot, order) => held(market, slot, withinMs, !isUp(order), () => true),
});
export const heldAtOpening = (withinMs: number): Choice => ({
  name: `quotes held back at the opening, up to ${withinMs / 1000} s`,
  shows: "a source's absence; quotes against a recording",
  opensBy: (market, slot, order) =>
    held(market, slot, withinMs, isUp(order), ({ sourceMs }) => sourceMs >= order.acceptedAtMs),
});

/** One source is away at most; the house chooses which, when the others' prices are known. */
function absent(market: TracedMarket, slot: number, wantsHigh: boolean): Listed {
  const all = market.latest(slot);
  let best: Listed = all;
  let price = market.priced(slot, all).price;
  for (const away of all.keys()) {
    const listed = all.with(away, undefined);
    const other = market.priced(slot, listed).price;
    if (other === null || (price !== null && !worse(other, price, wantsHigh))) continue;
    [best, price] = [listed, other];
  }
  return best;
}
export const absentAtSettlement: Choice = {
  name: 'a source left away at the settlement',
  shows: "a source's absence; quotes against a recording",
  settlesBy: (market, slot, order) => absent(market, slot, !isUp(order)),
};
export const absentAtOpening: Choice = {
  name: 'a source left away at the opening',
  shows: "a source's absence; quotes against a recording",
  opensBy: (market, slot, order) => absent(market, slot, isUp(order)),
};

/** The acceptance is dated when the price was worst for the customer in the 500 ms that it may take. */
export const accepting: Choice = {
  name: 'the moment of acceptance, in 500 ms',
  shows: 'nothing',
  accepts: (market, order) => {
    const slots = [0, 1, 2].map((back) => market.slotOf(order.acceptedAtMs) - back);
    const ordered = slots.sort((one, other) => market.midAt(one) - market.midAt(other));
    const chosen = (isUp(order) ? ordered.at(-1) : ordered[0]) as number;
    return order.acceptedAtMs - (market.slotOf(order.acceptedAtMs) - chosen) * GRID_MS;
  },
};
