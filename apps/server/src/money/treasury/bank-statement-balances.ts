interface Movement {
  /** Without a sign. */
  readonly size: bigint | null;
  readonly balance: bigint | null;
}

/**
 * Which way each movement went by the running balance, the oldest first or the newest: 1 for in, -1 for out, 0 where the balances say
 * nothing. They say something only when all of them follow from one another.
 */
export function balanceSigns(movements: readonly Movement[]): number[] {
  const none = movements.map(() => 0);
  const orders = ([-1, 1] as const)
    .map((step) => signsFrom(movements, step))
    .filter((signs) => signs !== null);
  return orders.length === 1 ? (orders[0] as number[]) : none;
}

/** @param step to the row before in time */
function signsFrom(movements: readonly Movement[], step: -1 | 1): number[] | null {
  let found = 0;
  const signs: number[] = [];
  for (const [place, { size, balance }] of movements.entries()) {
    const before = movements[place + step]?.balance ?? null;
    const change = size === null || balance === null || before === null ? null : balance - before;
    if (change !== null && change !== size && change !== -(size as bigint)) return null;
    if (change !== null) found += 1;
    signs.push(change === null ? 0 : change > 0n ? 1 : -1);
  }
  return found > 0 ? signs : null;
}

const MIN_NUMBER = 4;

/** Whether texts are a bank's own numbers, which name each row once; a count of rows or a kind of voucher is none. */
export const isSteady = (numbers: readonly string[]): boolean => {
  const filled = numbers.filter((text) => text !== '');
  const isNumber = (text: string) => text.length >= MIN_NUMBER && /[1-9]/.test(text);
  return filled.length > 0 && filled.every(isNumber) && new Set(filled).size === filled.length;
};
