/** No customer may use more than one part in SHARES of a limit of the house. */
const SHARES = 10n;

/** The parts of an order that count towards the house's exposure. */
export interface Commitment {
  readonly customerId: string;
  readonly assetId: number;
  readonly productId: number;
  /** The correlated group of the product. */
  readonly group: string;
  /** See {@link settlementMinute}. */
  readonly minuteMs: number;
  /** The income of a win, on top of the stake. */
  readonly income: bigint;
}

/** Incomes that accepted orders would pay if all of them won, in the asset of a new order: of all customers, and of its customer. */
export interface TakenAmounts {
  /** The exposure of the minute, for the product and for its group. */
  readonly product: bigint;
  readonly group: bigint;
  /** The customer's own part of these two, and the customer's total over all minutes. */
  readonly ownProduct: bigint;
  readonly ownGroup: bigint;
  readonly own: bigint;
}

/** A customer's income with one product in one minute. */
interface OwnIncome {
  readonly productId: number;
  readonly group: string;
  income: bigint;
}

/**
 * The exposure of the house by settlement minute: the sum of the incomes of all orders, up and down, without netting, because no
 * loss is certain. Orders of both directions win together if they opened at different fixes and the price settles between those, and
 * all orders win whose fix is missing for a day. So the sum is the most that the house can lose, for any prices and any missing
 * fixes.
 */
export class TakenOn {
  readonly #totals = new Map<number, Map<string, bigint>>();
  /** By minute, then by customer and asset. */
  readonly #incomes = new Map<number, Map<string, OwnIncome[]>>();
  /** Over all minutes, by customer and asset. */
  readonly #own = new Map<string, bigint>();

  add(order: Commitment): void {
    this.addTotal(order);
    this.addOwn(order);
  }

  /** Adds to the sums of all customers only. */
  addTotal({ assetId, productId, group, minuteMs, income }: Omit<Commitment, 'customerId'>): void {
    const totals = entryOf(this.#totals, minuteMs, () => new Map<string, bigint>());
    for (const scope of [productScope(assetId, productId), groupScope(assetId, group)]) {
      totals.set(scope, (totals.get(scope) ?? 0n) + income);
    }
  }

  /** Adds to the customer's sums only. */
  addOwn({ customerId, assetId, productId, group, minuteMs, income }: Commitment): void {
    const owner = ownerKey(customerId, assetId);
    this.#own.set(owner, (this.#own.get(owner) ?? 0n) + income);
    const incomes = entryOf(this.#incomes, minuteMs, () => new Map<string, OwnIncome[]>());
    const own = entryOf(incomes, owner, () => []);
    const same = own.find((one) => one.productId === productId);
    if (same) same.income += income;
    else own.push({ productId, group, income });
  }

  /** The amounts already taken that count together with an order like this one. */
  amountsOf({ customerId, assetId, productId, group, minuteMs }: Omit<Commitment, 'income'>): TakenAmounts {
    const totals = this.#totals.get(minuteMs);
    const owner = ownerKey(customerId, assetId);
    let ownProduct = 0n;
    let ownGroup = 0n;
    for (const one of this.#incomes.get(minuteMs)?.get(owner) ?? []) {
      if (one.productId === productId) ownProduct += one.income;
      if (one.group === group) ownGroup += one.income;
    }
    return {
      product: totals?.get(productScope(assetId, productId)) ?? 0n,
      group: totals?.get(groupScope(assetId, group)) ?? 0n,
      ownProduct,
      ownGroup,
      own: this.#own.get(owner) ?? 0n,
    };
  }
}

/** The most that one customer may use of a limit. */
export const shareOf = (bound: bigint): bigint => bound / SHARES;

/** Start of the minute in which an order settles, Unix ms. */
export function settlementMinute(settlesAtMs: number): number {
  return Math.floor(settlesAtMs / 60_000) * 60_000;
}

const ownerKey = (customerId: string, assetId: number): string => `${customerId}:${assetId}`;
const productScope = (assetId: number, productId: number): string => `${assetId}:p${productId}`;
const groupScope = (assetId: number, group: string): string => `${assetId}:g${group}`;

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
