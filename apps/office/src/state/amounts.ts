import { amountTyped, formatDecimal, parseDecimal, withoutTrailingZeros } from '@fairtick/money';

/** Digits with their thousands apart, and no other change: 1,000.5. */
export const grouped = (amount: string): string => {
  const [whole = '', ...rest] = amount.split('.');
  return [whole.replaceAll(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.');
};

/** "1000.000000" as staff read it: 1,000.00. Drops trailing zeros, but keeps two decimals at least. */
export function readable(amount: string): string {
  const [whole = '', rest = ''] = amount.replace(/^-/, '').split('.');
  const digits = withoutTrailingZeros(`.${rest}`).slice(1).padEnd(2, '0');
  return `${amount.startsWith('-') ? '−' : ''}${grouped(whole)}.${digits}`;
}

export const withAsset = (amount: string, asset: string): string => `${readable(amount)} ${asset}`;

/** Number of decimals of an asset, taken from one of its amounts. */
const decimalsOf = (amount: string): number => amount.split('.')[1]?.length ?? 0;

/** A typed amount with as many decimals as `like`; null if it is not one amount above zero. */
export function typedAmount(text: string, like: string): string | null {
  const decimals = decimalsOf(like);
  const units = parseDecimal(amountTyped(text) ?? '', decimals);
  return units === null || units <= 0n ? null : formatDecimal(units, decimals);
}

/**
 * The exact sum of amounts of one asset.
 * @throws Error for text that is no amount, because a sum that skips one would be misleading
 */
export function sumOf(amounts: readonly string[]): string {
  const decimals = Math.max(0, ...amounts.map(decimalsOf));
  return formatDecimal(
    amounts.reduce((sum, amount) => sum + unitsOf(amount, decimals), 0n),
    decimals,
  );
}

/** `a` less `b`; both are of one asset. */
export const less = (a: string, b: string): string => sumOf([a, b.startsWith('-') ? b.slice(1) : `-${b}`]);

export const isAbove = (a: string, b: string): boolean => !/^-|^0(\.0*)?$/.test(less(a, b));

function unitsOf(amount: string, decimals: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount);
  if (!match) throw new Error(`${amount} is no amount`);
  const [, sign, whole = '', rest = ''] = match;
  return BigInt(sign + whole + rest.padEnd(decimals, '0'));
}

/** Number of approvals that an amount needs, by the server's rule for `kind`; null without such a rule. */
export function approvalsNeeded(
  rules: readonly {
    kind: string;
    needed: number;
    above: readonly { asset: string; amount: string; needed: number }[];
  }[],
  kind: string,
  { amount, asset }: { amount: string; asset: string },
): number | null {
  const rule = rules.find((one) => one.kind === kind);
  if (!rule) return null;
  const more = rule.above.filter((one) => one.asset === asset && isAbove(amount, one.amount));
  return Math.max(rule.needed, ...more.map(({ needed }) => needed));
}
