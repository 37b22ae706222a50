import type { Tally } from '@fairtick/protocol';
import { formatSigned } from '../state/format.ts';

/** Without zeros at its end: the formatter keeps the two that belong there. */
export const trimmed = (amount: string): string =>
  amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;

/** With fewer orders than this a rate is chance and nothing else. */
const FEW = 30;

/** What the two rates say together. Never praise: above break-even is said to mean nothing for what comes. */
export function verdictOf({
  won,
  lost,
  winRate,
  breakEven,
}: Pick<Tally, 'won' | 'lost' | 'winRate' | 'breakEven'>): 'few' | 'below' | 'above' | null {
  if (winRate === null || breakEven === null) return null;
  if (won + lost < FEW) return 'few';
  return Number(winRate) < Number(breakEven) ? 'below' : 'above';
}

/** The result for each hundred staked, with its sign; null without stakes. */
export function perHundred({ result, staked }: Pick<Tally, 'result' | 'staked'>): string | null {
  if (!/[1-9]/.test(staked)) return null;
  return formatSigned(((Number(result) / Number(staked)) * 100).toFixed(2));
}
