const decimalsOf = (decimal: string): number => decimal.split('.')[1]?.length ?? 0;

function scaled(decimal: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** Compares two signed decimal strings. */
export function compareDecimals(a: string, b: string): number {
  const decimals = Math.max(decimalsOf(a), decimalsOf(b));
  const [left, right] = [scaled(a, decimals), scaled(b, decimals)];
  return left < right ? -1 : left > right ? 1 : 0;
}

interface Money {
  readonly asset: string;
  readonly amount: string;
}

/** Compares two amounts. Those of different assets have no common measure, so assets stay together, by their code. */
export const compareMoney = (a: Money, b: Money): number =>
  a.asset.localeCompare(b.asset, 'en') || compareDecimals(a.amount, b.amount);
