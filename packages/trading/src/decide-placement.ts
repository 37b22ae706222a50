import { type Minor, minor, payoutFloor } from '@fairtick/money';
import { settlementTime } from './decide-settlement.ts';
import type { Direction } from './direction.ts';
import { settlementMinute, shareOf, TakenOn } from './exposure.ts';
import {
  fixFrom,
  type Level,
  MOST_AHEAD_MS,
  NEWEST_TICK_MS,
  type ProductRules,
  payoutRateOf,
  purchaseLimits,
  SETTLE_IN_MS,
} from './rules.ts';
import type { TradingPeriod } from './trading-hours.ts';

/** Why an order is refused before any money moves. */
export const PLACEMENT_REFUSALS = [
  'ON_BREAK',
  'SELF_EXCLUDED',
  'ORDERS_FROZEN',
  'TRADING_HALTED',
  'EXPIRED',
  'LATE',
  'OPENS_TOO_FAR',
  'PRICE_UNAVAILABLE',
  'MARKET_CLOSED',
  'CYCLE_NOT_OFFERED',
  'ASSET_NOT_ACCEPTED',
  'SESSION_ENDS',
  'AMOUNT_TOO_SMALL',
  'AMOUNT_TOO_LARGE',
  'BALANCE_TOO_LOW',
  'INSUFFICIENT_BALANCE',
  'STAKE_LIMIT',
  'LOSS_LIMIT',
  'EXPOSURE_LIMIT',
  'SHARE_LIMIT',
] as const;
export type PlacementRefusal = (typeof PLACEMENT_REFUSALS)[number];

export interface PlacementRequest {
  readonly customerId: string;
  readonly level: Level;
  readonly productId: number;
  readonly direction: Direction;
  readonly minutes: number;
  readonly assetId: number;
  readonly stake: Minor;
  /** The customer's own deadline: an order accepted after it is refused. */
  readonly notAfterMs: number | null;
  /** The opening time that the customer named, a whole second; null: as early as the rules allow. */
  readonly opensAtMs: number | null;
}

export interface ProductFacts {
  readonly rules: ProductRules;
  /** The current trading period, or null when the product is closed. */
  readonly period: TradingPeriod | null;
  /** The time at which orders are taken again after a gap; null while there is no price. */
  readonly ordersFromMs: number | null;
  /** The time of the newest tick; null if that tick is not current. */
  readonly tickMs: number | null;
  /** The correlated group whose exposure includes the product's. */
  readonly group: string;
}

export interface AssetFacts {
  readonly code: string;
  readonly scale: number;
  /** The house's equity minus all open payouts: the room for new orders. */
  readonly payoutRoom: bigint;
  /** The most the house may lose in one settlement minute, per product and per correlated group. */
  readonly productLimit: bigint;
  readonly groupLimit: bigint;
  /** The house's equity, the upper bound of all open payouts. */
  readonly equity: bigint;
}

/** The refusal of each reason why a customer may place no orders. */
const CLOSED = { break: 'ON_BREAK', exclusion: 'SELF_EXCLUDED', freeze: 'ORDERS_FROZEN' } as const;

/** A customer's own limits in one asset. */
export interface OwnLimit {
  /** The reason why the customer may place no orders for now. */
  readonly closed: keyof typeof CLOSED | null;
  /** The tightest limit, and the amount it leaves. */
  readonly most: { readonly kind: 'stake' | 'loss'; readonly left: Minor } | null;
}

/** The database's state while the customers' balances are locked. No value comes from memory. */
export interface PlacementFacts {
  readonly nowMs: number;
  readonly isHalted: boolean;
  /** Whether the log's last entry is of this moment. False when no process writes the log, or no product has a price. */
  readonly isLogAlive: boolean;
  readonly products: ReadonlyMap<number, ProductFacts>;
  readonly assets: ReadonlyMap<number, AssetFacts>;
  /** Spendable balance by {@link balanceKey}. */
  readonly available: ReadonlyMap<string, bigint>;
  /** By {@link balanceKey}; absent means no limits. */
  readonly ownLimits: ReadonlyMap<string, OwnLimit>;
  /** The incomes the house has already promised in the current settlement minute and all later ones. */
  readonly taken: Pick<TakenOn, 'amountsOf'>;
}

export interface AcceptedTerms {
  readonly kind: 'accepted';
  readonly payoutRateBps: number;
  readonly income: Minor;
  readonly acceptedAtMs: number;
  readonly opensAtMs: number;
  readonly settlesAtMs: number;
}

export interface RefusedOrder {
  readonly kind: 'refused';
  readonly code: PlacementRefusal;
  /** The bound that the order missed, in smallest units, for the message. */
  readonly bound?: Minor;
}

export type PlacementDecision = AcceptedTerms | RefusedOrder;

export const balanceKey = (customerId: string, assetId: number): string => `${customerId}:${assetId}`;

/**
 * Decides a batch of orders in the given order, each as if those before it had been accepted. No other code decides whether an
 * order is taken. Does no I/O; the caller holds the locks and owns the transaction.
 * @returns one decision per request
 */
export function decidePlacements(
  requests: readonly PlacementRequest[],
  facts: PlacementFacts,
): PlacementDecision[] {
  const available = new Map(facts.available);
  const bounds = new Bounds(facts);
  /** Own-limit room left per customer after the orders of this batch. */
  const leftOf = new Map<string, Minor>();
  return requests.map((request) => {
    const key = balanceKey(request.customerId, request.assetId);
    const own = facts.ownLimits.get(key);
    if (own?.closed) return refuse(CLOSED[own.closed]);
    const decided = decideTerms(request, facts);
    if (decided.kind === 'refused') return decided;
    const { minBalance, ...terms } = decided;
    const balance = available.get(key) ?? 0n;
    if (balance < request.stake) return refuse('INSUFFICIENT_BALANCE');
    if (balance < minBalance) return refuse('BALANCE_TOO_LOW', minBalance);
    const left = leftOf.get(key) ?? own?.most?.left;
    const beyond = beyondOwnLimit(own, left, request.stake);
    if (beyond) return beyond;
    const outOfBounds = bounds.take(request, terms);
    if (outOfBounds) return outOfBounds;
    available.set(key, balance - request.stake);
    if (left !== undefined) leftOf.set(key, minor(left - request.stake));
    return terms;
  });
}

const refuse = (code: PlacementRefusal, bound?: Minor): RefusedOrder =>
  bound === undefined ? { kind: 'refused', code } : { kind: 'refused', code, bound };

/** The refusal of a stake above what the customer's own limits leave; null if they leave enough. */
function beyondOwnLimit(
  own: OwnLimit | undefined,
  left: Minor | undefined,
  stake: Minor,
): RefusedOrder | null {
  if (!own?.most || left === undefined || stake <= left) return null;
  return refuse(own.most.kind === 'stake' ? 'STAKE_LIMIT' : 'LOSS_LIMIT', left);
}

/** Decides everything that depends on no other order of the batch: terms, limits of the purchase, and the balance needed. */
function decideTerms(
  request: PlacementRequest,
  facts: PlacementFacts,
): (AcceptedTerms & { readonly minBalance: Minor }) | RefusedOrder {
  const { nowMs } = facts;
  const product = facts.products.get(request.productId);
  const asset = facts.assets.get(request.assetId);
  if (facts.isHalted) return refuse('TRADING_HALTED');
  if (request.notAfterMs !== null && nowMs > request.notAfterMs) return refuse('EXPIRED');
  if (!product) return refuse('PRICE_UNAVAILABLE');
  if (!product.period) return refuse('MARKET_CLOSED');
  if (!facts.isLogAlive) return refuse('PRICE_UNAVAILABLE');
  if (product.ordersFromMs === null || nowMs < product.ordersFromMs) return refuse('PRICE_UNAVAILABLE');
  if (nowMs < product.period.startMs + SETTLE_IN_MS) return refuse('PRICE_UNAVAILABLE');
  if (product.tickMs === null || nowMs > product.tickMs + NEWEST_TICK_MS) return refuse('PRICE_UNAVAILABLE');

  const payoutRateBps = payoutRateOf(product.rules, request.minutes);
  if (payoutRateBps === null) return refuse('CYCLE_NOT_OFFERED');
  if (!asset) return refuse('ASSET_NOT_ACCEPTED');
  const limits = purchaseLimits(product.rules, {
    minutes: request.minutes,
    asset: asset.code,
    scale: asset.scale,
    level: request.level,
  });
  if (limits === null)
    return refuse(takesAsset(product.rules, asset.code) ? 'CYCLE_NOT_OFFERED' : 'ASSET_NOT_ACCEPTED');
  const opensAtMs = openingTime(request.opensAtMs, nowMs + product.rules.delayMs);
  if (typeof opensAtMs === 'string') return refuse(opensAtMs);
  const settlesAtMs = settlementTime(opensAtMs, request.minutes);
  if (product.period.endMs !== null && settlesAtMs > product.period.endMs) return refuse('SESSION_ENDS');
  if (request.stake < limits.minPurchase) return refuse('AMOUNT_TOO_SMALL', limits.minPurchase);
  if (limits.maxPurchase !== null && request.stake > limits.maxPurchase) {
    return refuse('AMOUNT_TOO_LARGE', limits.maxPurchase);
  }
  const income = payoutFloor(request.stake, payoutRateBps);
  const { minBalance } = limits;
  return { kind: 'accepted', payoutRateBps, income, acceptedAtMs: nowMs, opensAtMs, settlesAtMs, minBalance };
}

/** Whether the product takes the asset at all, in a cycle of any length. */
const takesAsset = ({ limits }: ProductRules, code: string): boolean =>
  limits.some(({ asset }) => asset === code);

/** The named opening time if the order can open then, else why it can't. It is never moved. */
function openingTime(namedMs: number | null, earliestMs: number): number | 'LATE' | 'OPENS_TOO_FAR' {
  if (namedMs === null) return fixFrom(earliestMs);
  if (namedMs < earliestMs) return 'LATE';
  return namedMs > earliestMs + MOST_AHEAD_MS ? 'OPENS_TOO_FAR' : namedMs;
}

/** The house's limits and each customer's share of them, consumed by the orders of a batch. */
class Bounds {
  readonly #facts: PlacementFacts;
  /** The incomes that this batch adds. */
  readonly #batch = new TakenOn();
  readonly #promised = new Map<number, bigint>();

  constructor(facts: PlacementFacts) {
    this.#facts = facts;
  }

  /** Counts the order. @returns null, or the refusal of an order that would exceed a limit */
  take(
    request: PlacementRequest,
    { income, payoutRateBps, settlesAtMs }: AcceptedTerms,
  ): RefusedOrder | null {
    const { customerId, assetId, productId } = request;
    const asset = this.#facts.assets.get(assetId);
    const product = this.#facts.products.get(productId);
    if (!asset || !product) throw new Error('terms were made of a product or an asset that there is not');
    const minuteMs = settlementMinute(settlesAtMs);
    const order = { customerId, assetId, productId, group: product.group, minuteMs, income };
    const before = this.#facts.taken.amountsOf(order);
    const batch = this.#batch.amountsOf(order);
    const promised = this.#promised.get(assetId) ?? 0n;
    const houseLeft = least(
      asset.payoutRoom - promised,
      asset.productLimit - before.product - batch.product,
      asset.groupLimit - before.group - batch.group,
    );
    if (income > houseLeft) return refuse('EXPOSURE_LIMIT');
    const ownLeft = least(
      shareOf(asset.equity) - before.own - batch.own,
      shareOf(asset.productLimit) - before.ownProduct - batch.ownProduct,
      shareOf(asset.groupLimit) - before.ownGroup - batch.ownGroup,
    );
    if (income > ownLeft) return refuse('SHARE_LIMIT', largestStake(ownLeft, payoutRateBps));
    this.#batch.add(order);
    this.#promised.set(assetId, promised + income);
    return null;
  }
}

const least = (...amounts: readonly [bigint, ...bigint[]]): bigint =>
  amounts.reduce((least, amount) => (amount < least ? amount : least));

/** The largest stake whose income, rounded down, fits into `left`. */
function largestStake(left: bigint, payoutRateBps: number): Minor {
  return minor(left < 0n ? 0n : ((left + 1n) * 10_000n - 1n) / BigInt(payoutRateBps));
}
