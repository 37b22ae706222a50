import { amountTyped, parseDecimal, withoutTrailingZeros } from '@fairtick/money';

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
  return units === null || units <= 0n ? null : toText(units, decimals);
}

/** `a` less `b`; both are of one asset. */
export function less(a: string, b: string): string {
  const decimals = decimalsOf(a);
  return toText(unitsOf(a, decimals) - unitsOf(b, decimals), decimals);
}

/** `a` and `b` together; both are of one asset. */
export function plus(a: string, b: string): string {
  const decimals = decimalsOf(a);
  return toText(unitsOf(a, decimals) + unitsOf(b, decimals), decimals);
}

export function isAbove(a: string, b: string): boolean {
  const decimals = Math.max(decimalsOf(a), decimalsOf(b));
  return unitsOf(a, decimals) > unitsOf(b, decimals);
}

function unitsOf(amount: string, decimals: number): bigint {
  const [whole = '0', rest = ''] = amount.split('.');
  return BigInt(whole + rest.padEnd(decimals, '0'));
}

function toText(units: bigint, decimals: number): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return units < 0n ? `-${text}` : text;
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
