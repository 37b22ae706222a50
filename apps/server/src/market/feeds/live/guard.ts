/** A product takes no new orders while its record and its guards differ by more than this, in 1/10 000 of the guards' price … */
const MOST_APART_BPS = { exchanges: 50n, vendors: 25n } as const;
const BPS = 10_000n;
/** … for so long. */
const APART_MS = 500;

/** The class of a product's sources. */
export type GuardedBy = keyof typeof MOST_APART_BPS;

/**
 * Watches whether what settles agrees with sources that settle nothing. A disagreement decides no order: it stops ticks and new orders.
 */
export class Guard {
  readonly #apartSinceMs = new Map<number, number>();

  /**
   * @param settling the last prices of the sources that settle  @param guarding those of its guards
   * @returns whether the two have differed for too long
   */
  look(
    productId: number,
    nowMs: number,
    { settling, guarding, by }: { settling: readonly bigint[]; guarding: readonly bigint[]; by: GuardedBy },
  ): boolean {
    const isApart =
      settling.length > 0 &&
      guarding.length > 0 &&
      isFurther(middleOf(settling), middleOf(guarding), MOST_APART_BPS[by]);
    if (!isApart) {
      this.#apartSinceMs.delete(productId);
      return false;
    }
    const sinceMs = this.#apartSinceMs.get(productId) ?? nowMs;
    this.#apartSinceMs.set(productId, sinceMs);
    return nowMs - sinceMs >= APART_MS;
  }
}

const isFurther = (price: bigint, from: bigint, bps: bigint): boolean =>
  (price > from ? price - from : from - price) * BPS > from * bps;

function middleOf(prices: readonly bigint[]): bigint {
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[sorted.length >> 1] as bigint;
}
