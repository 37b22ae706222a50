import type { ProductRules } from '@fairtick/trading';
import type { PayoutRules } from '../../market/product-rules.ts';

export interface Difference {
  /** The value's place in the rules, such as `cycles.5.payoutRate`. */
  readonly path: string;
  /** Null: not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Differences between two versions of a product's rules, in the order in which a reader looks for them. */
export function differencesOf(before: ProductRules | null, after: ProductRules): Difference[] {
  const [old, young] = [before === null ? new Map<string, string>() : flatten(before), flatten(after)];
  return [...new Set([...young.keys(), ...old.keys()])].flatMap((path) => {
    const difference = { path, before: old.get(path) ?? null, after: young.get(path) ?? null };
    return difference.before === difference.after ? [] : [difference];
  });
}

/** Every single value of the rules, by its path. */
function flatten(rules: ProductRules): Map<string, string> {
  const { schedule } = rules;
  return new Map([
    ...payoutValues(rules),
    ['sources', rules.sources.join(', ')],
    ...Object.entries(rules.licences).map(([source, licence]) => [`licences.${source}`, licence] as const),
    ['quorum', String(rules.quorum)],
    ['quietMs', String(rules.quietMs)],
    ['waitMs', String(rules.waitMs)],
    ['outlierBps', String(rules.outlierBps)],
    ['delayMs', String(rules.delayMs)],
    ['schedule.zone', schedule.zone],
    [
      'schedule.windows',
      schedule.windows.map(({ days, from, to }) => `${days.join('')} ${from}–${to}`).join('; ') || '24/7',
    ],
    ...(schedule.until === undefined ? [] : [['schedule.until', schedule.until] as const]),
    ...schedule.holidays.map((date) => [`schedule.holidays.${date}`, '×'] as const),
    ...(schedule.shortDays ?? []).map(
      ({ date, windows }) =>
        [`schedule.holidays.${date}`, windows.map(({ from, to }) => `${from}–${to}`).join(', ')] as const,
    ),
  ]);
}

/** Every single value of payouts and limits, by its path. */
export const payoutValues = (rules: PayoutRules): (readonly [string, string])[] => [
  ...rules.cycles.map(({ minutes, payoutRate }) => [`cycles.${minutes}.payoutRate`, payoutRate] as const),
  ...rules.limits.flatMap(({ asset, scale, minBalance, minPurchase, max }) => [
    [`limits.${asset}.scale`, String(scale)] as const,
    [`limits.${asset}.minBalance`, minBalance] as const,
    [`limits.${asset}.minPurchase`, minPurchase] as const,
    ...max.map(({ upToMinutes, amount }) => [`limits.${asset}.max.${upToMinutes}`, amount] as const),
  ]),
  ...Object.entries(rules.levels).map(
    ([level, factor]) => [`levels.${level}`, factor === null ? '∞' : String(factor)] as const,
  ),
];

/** Merges equal differences of several products into one with all their symbols. */
export function groupDifferences(
  products: readonly { readonly symbol: string; readonly differences: readonly Difference[] }[],
): (Difference & { readonly symbols: string[] })[] {
  const groups = new Map<string, Difference & { readonly symbols: string[] }>();
  for (const { symbol, differences } of products) {
    for (const difference of differences) {
      const key = JSON.stringify(difference);
      const group = groups.get(key);
      if (group) group.symbols.push(symbol);
      else groups.set(key, { ...difference, symbols: [symbol] });
    }
  }
  return [...groups.values()];
}
