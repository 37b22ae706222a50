import type { Language } from '@fairtick/protocol';
import { SharedAnswer } from '../platform/http/context.ts';
import type { MarketView } from './market-view.ts';

/** Maximum age of a list while no price changes it: trading periods begin and end by the clock. */
const LONGEST_MS = 1_000;

/** Lists of all products, serialised once for each state of the market, language and level, and shared by all requests. */
export function sharedLists<T>(market: MarketView, write: (language: Language, level: string) => T) {
  const written = new Map<string, { version: number; untilMs: number; answer: SharedAnswer<T> }>();
  return (language: Language, level = ''): SharedAnswer<T> => {
    const key = `${language} ${level}`;
    const known = written.get(key);
    const nowMs = performance.now();
    if (known && known.version === market.version && nowMs < known.untilMs) return known.answer;
    const answer = new SharedAnswer(write(language, level));
    written.set(key, { version: market.version, untilMs: nowMs + LONGEST_MS, answer });
    return answer;
  };
}
