import { groupBy } from '@fairtick/ui/group-by';
/** A row of the trial balance. The functions below add decimal strings exactly, as integers. */
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
  /** By account; an account without movements is absent. */
  readonly balances: ReadonlyMap<string, string>;
  /** The sum over all accounts, including those without a column. */
  readonly sum: string;
  readonly isZero: boolean;
}

/**
 * Returns a row for each asset.
 * @throws Error for a string that is not a decimal, because a sum that skips one would be misleading
 */
export function byAsset(balances: readonly Balance[]): AssetBalance[] {
  const groups = groupBy(balances, ({ asset }) => asset);
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
