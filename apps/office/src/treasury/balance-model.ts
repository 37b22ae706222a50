import { groupBy } from '@fairtick/ui/group-by';
import { sumOf } from '../state/amounts.ts';

/** A row of the trial balance. */
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
