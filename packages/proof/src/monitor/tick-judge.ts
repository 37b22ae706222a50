import { decidePrice, GRID_MS, type JudgedQuote } from '@fairtick/trading';
import type { GapEntry, TickEntry } from '../entry.ts';
import type { DecidingRules } from '../receipt/rules-json.ts';

/** Judges a tick or gap by its rules alone: its grid time, its sources and its price. @returns the fault, or null */
export function judgeTick(entry: TickEntry | GapEntry, rules: DecidingRules): string | null {
  const { quotes, timeMs } = entry;
  if (timeMs % GRID_MS !== 0) return 'its time is not on the grid of 250 ms';
  if (quotes.length === 0 && entry.kind === 'gap' && entry.reason !== 'quorum') return null;
  const isComplete =
    quotes.length === rules.sources.length && quotes.every(({ source }, at) => source === rules.sources[at]);
  if (!isComplete) return 'its sources are not exactly those of the rules';
  const priced = quotes.filter((quote): quote is JudgedQuote => quote.use !== 'none');
  if ((entry.kind === 'tick' || priced.length > 0) && entry.decimals !== rules.decimals)
    return 'its prices have not the decimals of the product';
  const answer = decidePrice({ quotes: priced, timeMs, rules });
  if (answer.quotes.some(({ use }, at) => use !== quotes[at]?.use))
    return 'a quote was judged against the rule';
  if (entry.kind === 'gap')
    return entry.reason === 'quorum' && answer.price !== null
      ? 'there were enough sources for a price'
      : null;
  if (answer.price === null) return 'there were too few sources for a price';
  return answer.price === entry.price ? null : 'its price is not what the rule makes of its quotes';
}
