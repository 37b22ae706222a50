/** What the trial balance is checked with here: exact sums of decimal strings, as integers. */
export interface Balance {
  readonly asset: string;
  readonly account: string;
  readonly balance: string;
}

/** The accounts of the house and the customers together, in the order of the columns. */
export const ACCOUNTS = [
  'customers available',
  'customers held',
  'customers earning',
  'trading',
  'fees',
  'earnings',
  'external',
] as const;

export interface AssetBalance {
  readonly asset: string;
  /** By account; one that has never moved has no balance. */
  readonly balances: ReadonlyMap<string, string>;
  /** Of all accounts, also of those that have no column. */
  readonly sum: string;
  readonly isZero: boolean;
}

/** One row for each asset. @throws Error for what is no decimal: a sum that leaves something out would be worse than none */
export function byAsset(balances: readonly Balance[]): AssetBalance[] {
  const groups = Map.groupBy(balances, ({ asset }) => asset);
  return [...groups].map(([asset, rows]) => {
    const sum = sumOf(rows.map(({ balance }) => balance));
    return {
      asset,
      balances: new Map(rows.map(({ account, balance }) => [account, balance])),
      sum,
      isZero: /^-?0(\.0+)?$/.test(sum),
    };
  });
}

export function sumOf(amounts: readonly string[]): string {
  const decimals = Math.max(0, ...amounts.map((amount) => amount.split('.')[1]?.length ?? 0));
  const units = amounts.reduce((sum, amount) => sum + unitsOf(amount, decimals), 0n);
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return units < 0n ? `-${text}` : text;
}

function unitsOf(amount: string, decimals: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount);
  if (!match) throw new Error(`${amount} is no amount`);
  const units = BigInt((match[2] as string) + (match[3] ?? '').padEnd(decimals, '0'));
  return match[1] === '-' ? -units : units;
}
