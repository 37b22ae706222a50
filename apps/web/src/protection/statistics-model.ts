import type { Tally } from '@fairtick/protocol';
import { FEW, formatSigned } from '../state/format.ts';

/** Compares the win rate with the break-even rate. The text for `above` must not praise: it says that past results predict nothing. */
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

export function perHundred({ result, staked }: Pick<Tally, 'result' | 'staked'>): string | null {
  if (!/[1-9]/.test(staked)) return null;
  return formatSigned(((Number(result) / Number(staked)) * 100).toFixed(2));
}
