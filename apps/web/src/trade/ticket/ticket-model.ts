import { amountTyped, formatDecimal, type Minor, parseAmount, parseRate, payoutFloor } from '@fairtick/money';
import type { ProductDetail, UsedLimit } from '@fairtick/protocol';
import { settlementTime, voidPayout } from '@fairtick/trading';
import type { MessageId, MessageValues } from '../../messages/text.ts';
import { scaleOf } from '../../state/decimal-strings.ts';
import { formatPrice, formatShare, isTooFine, usualDecimals } from '../../state/format.ts';
import type { Closed } from '../../state/session.ts';
import { typedFault } from '../../state/typed-amount.ts';

export interface TicketForm {
  readonly direction: 'up' | 'down';
  readonly minutes: number;
  /** As typed. */
  readonly amount: string;
}

export interface TicketFacts {
  readonly form: TicketForm;
  readonly detail: ProductDetail | null;
  readonly asset: string;
  /** Spendable balance as the API's decimal string; null without a login or while unknown. */
  readonly available: string | null;
  readonly nowMs: number;
  /** When an order that is sent now would open. */
  readonly opensAtMs: number;
  /** The price shown is stale: no order may be placed on it. */
  readonly isStale: boolean;
  /** The product, or the customer, takes no orders: no amount would do. */
  readonly isClosed: boolean;
  /** What the customer's own limits leave, as the API's decimal string; null: unknown, or no limit. */
  readonly ownLeft: string | null;
}

export interface TicketFault {
  readonly id: MessageId;
  readonly bound?: string;
  readonly count?: number;
  readonly untilMs?: number;
  readonly values?: MessageValues;
}

/** Everything that the ticket derives from its fields. Amounts are decimal strings; null is unknown. */
export interface TicketSummary {
  /** The amount that is read from the field; null if it is empty or has no single reading. */
  readonly amount: string | null;
  readonly payoutRate: number | null;
  readonly income: string | null;
  /**
   * What comes back if the direction is right, if it is wrong, if the price is the same or there is none at the opening, and if the
   * order is not logged in time.
   */
  readonly ifRight: string | null;
  readonly ifWrong: string | null;
  readonly ifEven: string | null;
  readonly ifUnlogged: string | null;
  readonly settlesAtMs: number;
  readonly afterwards: string | null;
  readonly limits: {
    readonly minBalance: string;
    readonly minPurchase: string;
    readonly maxPurchase: string | null;
  } | null;
  /**
   * Share of orders that must win to break even, and the house's expected share of the stake; both follow from the payout rate.
   */
  readonly breakEven: number | null;
  readonly edge: number | null;
  /** Why the order can't be placed; null if it can. An empty amount is not a fault. */
  readonly fault: TicketFault | null;
  /** Whether another amount would do. */
  readonly isAmountAtFault: boolean;
  readonly isComplete: boolean;
}

export interface ShownTerms {
  readonly price: string | null;
  readonly payoutRate: number | null;
}

/**
 * How far the price may move between the two taps of an order: a thousandth. The liveliest product moves about a ten-thousandth in a
 * second, so this is rare within the seconds that two taps take; after it the customer looks at the price again.
 */
const MOST_MOVED = 0.001;

/** What the ticket shows other than before, with both values; null: nothing that counts. */
export function movedFault(before: ShownTerms, now: ShownTerms): TicketFault | null {
  if (before.payoutRate !== now.payoutRate) {
    const [from, to] = [before, now].map(({ payoutRate }) =>
      payoutRate === null ? '–' : formatShare(payoutRate),
    ) as [string, string];
    return { id: 'ticket.rateMoved', values: { from, to } };
  }
  if (before.price === now.price) return null;
  if (before.price === null || now.price === null) return { id: 'ticket.priceGone' };
  const [from, to] = [Number(before.price), Number(now.price)];
  if (Math.abs(to - from) <= from * MOST_MOVED) return null;
  return { id: 'ticket.priceMoved', values: { from: formatPrice(before.price), to: formatPrice(now.price) } };
}

const QUICK: Readonly<Record<string, readonly string[]>> = {
  BTC: ['0.001', '0.005', '0.01', '0.05'],
  ETH: ['0.02', '0.1', '0.2', '1'],
};
const QUICK_MONEY = ['10', '50', '100', '500'];

export const quickAmounts = (asset: string): readonly string[] => QUICK[asset] ?? QUICK_MONEY;

const NOT_TAKEN: ReadonlySet<MessageId> = new Set([
  'ticket.tooSmall',
  'ticket.tooLarge',
  'fault.tooManyDecimals',
]);

/** The cycles that the product offers for an asset, or all of them where it takes none. Null until the product is loaded. */
export function cyclesFor(detail: ProductDetail | null, asset: string): ProductDetail['cycles'] | null {
  if (!detail) return null;
  const own = detail.cycles.filter(({ limits }) => limits.some((candidate) => candidate.asset === asset));
  return own.length > 0 ? own : detail.cycles;
}

/** The cycle chosen last, if it is offered, else the shortest. */
export function offeredMinutes(cycles: ProductDetail['cycles'] | null, chosen: number): number {
  const offered = cycles?.map(({ minutes }) => minutes) ?? [chosen];
  return offered.includes(chosen) ? chosen : Math.min(...offered);
}

export function summarise(facts: TicketFacts): TicketSummary {
  const { form, detail, asset, available } = facts;
  const cycle = detail?.cycles.find((candidate) => candidate.minutes === form.minutes);
  const limits = cycle?.limits.find((candidate) => candidate.asset === asset) ?? null;
  const scale = limits && scaleOf(limits.minPurchase);
  const amount = amountTyped(form.amount);
  const stake = scale === null || amount === null ? null : parseAmount(amount, scale);
  const bps = cycle ? parseRate(cycle.payoutRate) : null;
  const rate = bps === null ? null : bps / 10_000;
  const spendable = available === null || scale === null ? null : parseDecimalOrNull(available, scale);
  const money = (value: bigint | null) =>
    value === null || scale === null ? null : formatDecimal(value, scale);
  const obstacle = findObstacle(facts, { limits, scale });
  const fault = facts.isClosed
    ? null
    : (obstacle ?? findAmountFault(facts, { limits, amount, stake, scale, spendable }));
  // A stake that the ticket does not take has no income.
  const isOut = fault !== null && NOT_TAKEN.has(fault.id);
  const income = stake === null || bps === null || isOut ? null : payoutFloor(stake, bps);
  const paid = income === null ? null : stake;
  return {
    amount,
    payoutRate: rate,
    income: money(income),
    ifRight: money(paid === null || income === null ? null : paid + income),
    ifWrong: money(paid === null ? null : 0n),
    ifEven: money(paid),
    ifUnlogged: money(paid && voidPayout(paid, 'not_logged')),
    settlesAtMs: settlementTime(facts.opensAtMs, form.minutes),
    afterwards: money(spendable !== null && stake !== null && stake <= spendable ? spendable - stake : null),
    limits,
    breakEven: rate === null ? null : 1 / (1 + rate),
    edge: rate === null ? null : (1 - rate) / 2,
    fault,
    isAmountAtFault: obstacle === null && fault !== null,
    isComplete: fault === null && stake !== null && !facts.isClosed,
  };
}

export const backShares = (payoutRate: number | null) => ({
  ifRight: payoutRate === null ? null : 1 + payoutRate,
  ifWrong: 0,
  ifEven: 1,
  ifUnlogged: Number(voidPayout(1_000n, 'not_logged')) / 1_000,
});

/** Parses a balance, which may be zero; `parseAmount` accepts no zero. */
function parseDecimalOrNull(text: string, scale: number): bigint | null {
  return parseAmount(text, scale) ?? (/^0(\.0+)?$/.test(text) ? 0n : null);
}

/** The fault while a break, an exclusion or a freeze lasts, with its end; null without one or once it has ended. */
export function pauseFault(pause: Closed, nowMs: number): TicketFault | null {
  if (pause === null) return null;
  if (pause.until === null) return { id: 'ticket.excludedForGood' };
  if (pause.until <= nowMs) return null;
  if ('what' in pause) return { id: 'ticket.frozen', untilMs: pause.until };
  return { id: pause.kind === 'break' ? 'ticket.onBreak' : 'ticket.excluded', untilMs: pause.until };
}

/** The limit on stakes or losses in an asset that leaves least; null: none. */
export function ownLeft(limits: readonly UsedLimit[], asset: string): UsedLimit | null {
  const own = limits.filter((limit) => limit.asset === asset && limit.kind !== 'deposit');
  return own.sort((a, b) => Number(a.left) - Number(b.left))[0] ?? null;
}

/** Why no amount would do. */
function findObstacle(
  { detail, opensAtMs, form, isStale }: TicketFacts,
  { limits, scale }: { limits: TicketSummary['limits']; scale: number | null },
): TicketFault | null {
  if (isStale) return { id: 'ticket.stale' };
  if (!detail) return null;
  const settlesAtMs = settlementTime(opensAtMs, form.minutes);
  if (detail.sessionEndsAt !== null && settlesAtMs > detail.sessionEndsAt)
    return { id: 'ticket.sessionEnds' };
  return limits && scale !== null ? null : { id: 'ticket.assetNotAccepted' };
}

function findAmountFault(
  { form, asset, ownLeft: left }: TicketFacts,
  known: {
    limits: TicketSummary['limits'];
    amount: string | null;
    stake: Minor | null;
    scale: number | null;
    spendable: bigint | null;
  },
): TicketFault | null {
  const { limits, amount, stake, scale, spendable } = known;
  if (!limits || scale === null) return null;
  const unread = typedFault(form.amount);
  if (unread) return unread;
  if (amount === null) return null;
  if (stake === null) return { id: 'ticket.invalidAmount' };
  const bound = (text: string) => parseAmount(text, scale) ?? 0n;
  if (stake < bound(limits.minPurchase)) return { id: 'ticket.tooSmall', bound: limits.minPurchase };
  if (limits.maxPurchase !== null && stake > bound(limits.maxPurchase))
    return { id: 'ticket.tooLarge', bound: limits.maxPurchase };
  if (isTooFine(amount, asset)) return { id: 'fault.tooManyDecimals', count: usualDecimals(asset) };
  if (spendable !== null && spendable < bound(limits.minBalance))
    return { id: 'ticket.balanceTooLow', bound: limits.minBalance };
  if (spendable !== null && stake > spendable) return { id: 'ticket.insufficient' };
  const own = left === null ? null : parseDecimalOrNull(left, scale);
  if (left !== null && own !== null && stake > own) return { id: 'ticket.ownLimit', bound: left };
  return null;
}
