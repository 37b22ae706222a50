import type { Points } from '@fairtick/money';
import {
  betterOf,
  type Direction,
  decideSettlement,
  type FixAnswer,
  type KnownRecord,
  LOGGED_BEFORE_MS,
  type Result,
  settlementTime,
} from '../../../packages/trading/src/index.ts';
import type { Changed, RecordMarket } from './record-market.ts';

export const PAYOUT = 0.8;
/** D, from the tap to the opening. */
const DELAY_MS = 2_000;

/** One order of a minute at a payout rate of 0.8. */
export interface Bet {
  readonly opensAtMs: number;
  readonly direction: Direction;
}

/** The house's gain of one order, in stakes. */
export type Gain = (market: RecordMarket, bet: Bet) => number;

const WORTH: Readonly<Record<Result, number>> = { loss: 1, profit: -PAYOUT, none: 0 };

const settlesAt = ({ opensAtMs }: Bet): number => settlementTime(opensAtMs, 1);

function gainBy(open: FixAnswer, settle: FixAnswer, { direction }: Bet): number {
  if (open.isThin || open.price === null || settle.price === null) return 0;
  return WORTH[decideSettlement({ open: open.price, settle: settle.price })[direction].result];
}

/** Both fixes as the sources have them on record. */
export const honest: Gain = (market, bet) =>
  gainBy(market.fixAt(bet.opensAtMs), market.fixAt(settlesAt(bet)), bet);

/** The lowest and the highest of a source's records of the last `mostMs`: who chooses takes one of these. */
function extremes(market: RecordMarket, source: number, timeMs: number, mostMs: number): KnownRecord[] {
  const records = market.before(source, timeMs, mostMs);
  const [first] = records;
  if (!first) return [];
  const low = records.reduce((least, each) => (each.price < least.price ? each : least), first);
  const high = records.reduce((most, each) => (each.price > most.price ? each : most), first);
  return [low, high].map((last) => ({
    source: market.rules.sources[source] as string,
    last,
    closing: { by: 'said' as const },
  }));
}

/** The fix that is best for the house if it may choose the records of the first `sources` sources among those of the last `mostMs`. */
function chosenFix(
  market: RecordMarket,
  timeMs: number,
  { sources, mostMs, wantsHigh }: { sources: number; mostMs: number; wantsHigh: boolean },
): FixAnswer {
  const changed: Changed = (source, known) => {
    if (source >= sources) return known;
    return extremes(market, source, timeMs, mostMs)[wantsHigh ? 1 : 0] ?? known;
  };
  const [kept, chosen] = [market.fixAt(timeMs), market.fixAt(timeMs, changed)];
  if (kept.price === null || chosen.price === null) return kept;
  return chosen.price > kept.price === wantsHigh ? chosen : kept;
}

/** An earlier record of some sources is said to be their last one, at both ends. Whoever asks these sources sees it. */
export const earlierRecords =
  (sources: number, mostMs: number): Gain =>
  (market, bet) => {
    const isUp = bet.direction === 'up';
    const levers = { sources, mostMs };
    return gainBy(
      chosenFix(market, bet.opensAtMs, { ...levers, wantsHigh: isUp }),
      chosenFix(market, settlesAt(bet), { ...levers, wantsHigh: !isUp }),
      bet,
    );
  };

/** The same, with the earlier records left open: their closes follow, and the customer gets the better of both results. */
export const leftOpen =
  (sources: number, mostMs: number): Gain =>
  (market, bet) => {
    const isUp = bet.direction === 'up';
    const levers = { sources, mostMs };
    const [open, settle] = [market.fixAt(bet.opensAtMs), market.fixAt(settlesAt(bet))];
    if (open.isThin || open.price === null || settle.price === null) return 0;
    const first = {
      open: chosenFix(market, bet.opensAtMs, { ...levers, wantsHigh: isUp }).price as Points,
      settle: chosenFix(market, settlesAt(bet), { ...levers, wantsHigh: !isUp }).price as Points,
    };
    const corrected = { open: open.price, settle: settle.price };
    const counted = betterOf(decideSettlement(first), decideSettlement(corrected));
    return WORTH[counted[bet.direction].result];
  };

/** The standard normal distribution, to some seven digits (Abramowitz and Stegun 26.2.17). */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const sum =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
  return z > 0 ? 1 - tail : tail;
}

/** What the house expects of an order that opens at a price, if it knows the market up to a time. */
function expected({ path }: RecordMarket, knownMs: number, { direction }: Bet, price: number): number {
  const moved = path.midAt(knownMs) - price;
  const deviation = Math.max(path.secondMove(knownMs) * Math.sqrt(60), 1e-9);
  return 1 - (1 + PAYOUT) * normal(((direction === 'up' ? 1 : -1) * moved) / deviation);
}

/** What the house thinks that the opening price is, at a time before or after it. */
function guessedOpening(market: RecordMarket, { opensAtMs }: Bet, knownMs: number): number {
  if (knownMs >= opensAtMs) return Number(market.fixAt(opensAtMs).price ?? 0n);
  return market.path.midAt(knownMs);
}

/** The order is refused at the last moment at which it could be logged, if the house then expects to lose by it. */
export const refused =
  (behindMs: number): Gain =>
  (market, bet) => {
    const knownMs = bet.opensAtMs - LOGGED_BEFORE_MS + behindMs;
    return expected(market, knownMs, bet, guessedOpening(market, bet, knownMs)) < 0 ? 0 : honest(market, bet);
  };

/** Enough sources are away at the opening to void the order, if the house then expects to lose by it. It concerns all orders of that second. */
export const voided =
  (behindMs: number): Gain =>
  (market, bet) => {
    const knownMs = bet.opensAtMs + behindMs;
    return expected(market, knownMs, bet, guessedOpening(market, bet, knownMs)) < 0 ? 0 : honest(market, bet);
  };

/** The house answers only when it knows the result, and nothing shows before that the order was accepted. Rule 0 prevents this. */
export const answeredAfter =
  (afterMs: number): Gain =>
  (market, bet) => {
    const knownMs = Math.min(bet.opensAtMs + afterMs, settlesAt(bet));
    const known = knownMs === settlesAt(bet) ? honest(market, bet) : null;
    const value = known ?? expected(market, knownMs, bet, guessedOpening(market, bet, knownMs));
    return value < 0 ? 0 : honest(market, bet);
  };

/** A customer who sees the market `leadMs` earlier than the log takes the direction in which the last trades are behind it. */
export const seesAhead =
  (leadMs: number): Gain =>
  (market, { opensAtMs }) => {
    const tappedMs = opensAtMs - DELAY_MS;
    const stale = market.fixAt(tappedMs).price;
    if (stale === null) return 0;
    const direction = market.path.midAt(tappedMs + leadMs) > Number(stale) ? 'up' : 'down';
    return honest(market, { opensAtMs, direction });
  };

/** Settled on the mean of the fixes of the last `seconds`, of which a push reaches the last one. */
export const meanOf =
  (seconds: number, last: (market: RecordMarket, timeMs: number, bet: Bet) => FixAnswer): Gain =>
  (market, bet) => {
    const open = market.fixAt(bet.opensAtMs);
    if (open.isThin || open.price === null) return 0;
    let sum = 0n;
    for (let back = 0; back < seconds; back += 1) {
      const timeMs = settlesAt(bet) - back * 1_000;
      sum += (back === 0 ? last(market, timeMs, bet) : market.fixAt(timeMs)).price ?? 0n;
    }
    const settle = (sum / BigInt(seconds)) as Points;
    return WORTH[decideSettlement({ open: open.price, settle })[bet.direction].result];
  };

/** Somebody trades at some sources just before that time, so many basis points beyond their last price. */
export const pushedFix =
  (sources: number, bps: number) =>
  (market: RecordMarket, timeMs: number, { direction }: Bet): FixAnswer =>
    market.fixAt(timeMs, (source, known) => {
      if (source >= sources) return known;
      const by = 1 + ((direction === 'up' ? 1 : -1) * bps) / 10_000;
      return {
        ...known,
        last: { ...known.last, price: BigInt(Math.round(Number(known.last.price) * by)) as Points },
      };
    });
