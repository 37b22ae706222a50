import { type Minor, minor, payoutFloor } from '@fairtick/money';
import { type Direction, settlementTime } from './decide-settlement.ts';
import { addToExposure, type Exposure, NO_EXPOSURE, settlementMinute, worstLoss } from './exposure.ts';
import { type Level, type ProductRules, payoutRateOf, purchaseLimits, SETTLE_IN_MS } from './rules.ts';
import type { Session } from './sessions.ts';

/** Why an order is refused before any money moves. */
export const PLACEMENT_REFUSALS = [
  'ON_BREAK',
  'SELF_EXCLUDED',
  'TRADING_HALTED',
  'EXPIRED',
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
  /** The customer's own bound on waiting: an order accepted after it is refused. */
  readonly notAfterMs: number | null;
}

export interface ProductFacts {
  readonly rules: ProductRules;
  /** The session now, or null when the product is closed. */
  readonly session: Session | null;
  /** From when orders are taken again after a gap; null while there is no price. */
  readonly ordersFromMs: number | null;
  /** The correlated group that the product's exposure counts in. */
  readonly group: string;
}

export interface AssetFacts {
  readonly code: string;
  readonly scale: number;
  /** The house's equity less all open payouts: what new orders may still promise. */
  readonly payoutRoom: bigint;
  /** The most the house may lose in one settlement minute, per product and per correlated group. */
  readonly productLimit: bigint;
  readonly groupLimit: bigint;
}

/** What customers have bound themselves to, in one asset. */
export interface OwnLimit {
  /** No orders at all for now. */
  readonly closed: 'break' | 'exclusion' | null;
  /** The limit that leaves least, and what it leaves. */
  readonly most: { readonly kind: 'stake' | 'loss'; readonly left: Minor } | null;
}

/** What the database says while the customers' balances are locked. Nothing here comes from memory. */
export interface PlacementFacts {
  readonly nowMs: number;
  readonly isHalted: boolean;
  /** False when nobody writes the log: an acceptance could not be logged in time. */
  readonly isLogAlive: boolean;
  readonly products: ReadonlyMap<number, ProductFacts>;
  readonly assets: ReadonlyMap<number, AssetFacts>;
  /** Spendable balance by {@link balanceKey}. */
  readonly available: ReadonlyMap<string, bigint>;
  /** By {@link balanceKey}; absent is none. */
  readonly ownLimits: ReadonlyMap<string, OwnLimit>;
  /** Exposure by {@link exposureKey}; absent is none. */
  readonly exposures: ReadonlyMap<string, Exposure>;
}

export interface AcceptedTerms {
  readonly kind: 'accepted';
  readonly payoutRateBps: number;
  readonly income: Minor;
  readonly acceptedAtMs: number;
  readonly settlesAtMs: number;
}

export interface RefusedOrder {
  readonly kind: 'refused';
  readonly code: PlacementRefusal;
  /** What the message needs: the bound that was missed, in smallest units. */
  readonly bound?: Minor;
}

export type PlacementDecision = AcceptedTerms | RefusedOrder;

export const balanceKey = (customerId: string, assetId: number): string => `${customerId}:${assetId}`;
export const exposureKey = (assetId: number, scope: string, minuteMs: number): string =>
  `${assetId}:${scope}:${minuteMs}`;
export const productScope = (productId: number): string => `p${productId}`;
export const groupScope = (group: string): string => `g${group}`;

/**
 * Decides a batch of orders in the given order, each as if those before it had been accepted. The only place that
 * says whether an order is taken. Does no I/O; the caller holds the locks and owns the transaction.
 * @returns one decision per request, and the exposures that changed
 */
export function decidePlacements(
  requests: readonly PlacementRequest[],
  facts: PlacementFacts,
): { decisions: PlacementDecision[]; exposures: Map<string, Exposure> } {
  const available = new Map(facts.available);
  const room = new Map([...facts.assets].map(([id, asset]) => [id, asset.payoutRoom]));
  const exposures = new Map<string, Exposure>();
  /** What orders of this batch have left of their customers' own limits. */
  const leftOf = new Map<string, Minor>();
  const decisions = requests.map((request) => {
    const key = balanceKey(request.customerId, request.assetId);
    const own = facts.ownLimits.get(key);
    if (own?.closed) return refuse(own.closed === 'break' ? 'ON_BREAK' : 'SELF_EXCLUDED');
    const decided = decideTerms(request, facts);
    if (decided.kind === 'refused') return decided;
    const { minBalance, ...terms } = decided;
    const balance = available.get(key) ?? 0n;
    if (balance < request.stake) return refuse('INSUFFICIENT_BALANCE');
    if (balance < minBalance) return refuse('BALANCE_TOO_LOW', minBalance);
    const left = leftOf.get(key) ?? own?.most?.left;
    const beyond = beyondOwnLimit(own, left, request.stake);
    if (beyond) return beyond;
    const grown = growExposures(request, terms, facts, exposures, room.get(request.assetId) ?? 0n);
    if (grown === null) return refuse('EXPOSURE_LIMIT');
    for (const [scope, exposure] of grown) exposures.set(scope, exposure);
    room.set(request.assetId, (room.get(request.assetId) ?? 0n) - terms.income);
    available.set(key, balance - request.stake);
    if (left !== undefined) leftOf.set(key, minor(left - request.stake));
    return terms;
  });
  return { decisions, exposures };
}

const refuse = (code: PlacementRefusal, bound?: Minor): RefusedOrder =>
  bound === undefined ? { kind: 'refused', code } : { kind: 'refused', code, bound };

/** The refusal of a stake above what the customer's own limits leave; null where they leave enough. */
function beyondOwnLimit(
  own: OwnLimit | undefined,
  left: Minor | undefined,
  stake: Minor,
): RefusedOrder | null {
  if (!own?.most || left === undefined || stake <= left) return null;
  return refuse(own.most.kind === 'stake' ? 'STAKE_LIMIT' : 'LOSS_LIMIT', left);
}

/** Everything about an order that depends on no other order of the batch, and the balance that it takes. */
function decideTerms(
  request: PlacementRequest,
  facts: PlacementFacts,
): (AcceptedTerms & { readonly minBalance: Minor }) | RefusedOrder {
  const { nowMs } = facts;
  const product = facts.products.get(request.productId);
  const asset = facts.assets.get(request.assetId);
  if (facts.isHalted) return refuse('TRADING_HALTED');
  if (request.notAfterMs !== null && nowMs > request.notAfterMs) return refuse('EXPIRED');
  if (!facts.isLogAlive || !product) return refuse('PRICE_UNAVAILABLE');
  if (!product.session) return refuse('MARKET_CLOSED');
  if (product.ordersFromMs === null || nowMs < product.ordersFromMs) return refuse('PRICE_UNAVAILABLE');
  if (nowMs < product.session.startMs + SETTLE_IN_MS) return refuse('PRICE_UNAVAILABLE');

  const payoutRateBps = payoutRateOf(product.rules, request.minutes);
  if (payoutRateBps === null) return refuse('CYCLE_NOT_OFFERED');
  if (!asset) return refuse('ASSET_NOT_ACCEPTED');
  const limits = purchaseLimits(product.rules, {
    minutes: request.minutes,
    asset: asset.code,
    scale: asset.scale,
    level: request.level,
  });
  if (limits === null) return refuse('ASSET_NOT_ACCEPTED');
  const settlesAtMs = settlementTime(nowMs, request.minutes);
  if (product.session.endMs !== null && settlesAtMs > product.session.endMs) return refuse('SESSION_ENDS');
  if (request.stake < limits.minPurchase) return refuse('AMOUNT_TOO_SMALL', limits.minPurchase);
  if (limits.maxPurchase !== null && request.stake > limits.maxPurchase) {
    return refuse('AMOUNT_TOO_LARGE', limits.maxPurchase);
  }
  const income = payoutFloor(request.stake, payoutRateBps);
  const { minBalance } = limits;
  return { kind: 'accepted', payoutRateBps, income, acceptedAtMs: nowMs, settlesAtMs, minBalance };
}

/** The exposures with this order in them, or null if one would pass its limit. */
function growExposures(
  request: PlacementRequest,
  terms: AcceptedTerms,
  facts: PlacementFacts,
  changed: ReadonlyMap<string, Exposure>,
  room: bigint,
): [string, Exposure][] | null {
  const asset = facts.assets.get(request.assetId);
  const product = facts.products.get(request.productId);
  if (!asset || !product || terms.income > room) return null;
  const minute = settlementMinute(terms.settlesAtMs);
  const scopes = [
    { scope: productScope(request.productId), limit: asset.productLimit },
    { scope: groupScope(product.group), limit: asset.groupLimit },
  ];
  const grown: [string, Exposure][] = [];
  for (const { scope, limit } of scopes) {
    const key = exposureKey(request.assetId, scope, minute);
    const before = changed.get(key) ?? facts.exposures.get(key) ?? NO_EXPOSURE;
    const after = addToExposure(before, {
      direction: request.direction,
      stake: request.stake,
      income: terms.income,
    });
    // An order that lowers a loss already above the limit (after the limit was tightened) is welcome.
    if (worstLoss(after) > limit && worstLoss(after) > worstLoss(before)) return null;
    grown.push([key, after]);
  }
  return grown;
}
