/** The verifier's check of signed updates: what Pyth said, and that the quotes of the deciding ticks say the same. */
import { type JudgedQuote, PYTH_SOURCE, type PythRules } from '@fairtick/trading';
import { fromBase64 } from '../encoding.ts';
import type { TickEntry } from '../entry.ts';
import { isKnownPyth } from '../pyth/pyth-keys.ts';
import { judgeNextUpdate, type PythStatement, readPythStatement, saysPythQuote } from '../pyth/pyth-quote.ts';
import type { Case, SymbolPlaced } from './case.ts';
import type { ReceiptUpdate } from './receipt.ts';
import type { DecidingRules } from './rules-json.ts';
import { type Finding, fault } from './steps.ts';

/** A deciding tick with a quote of Pyth. */
interface Wanted {
  readonly index: number;
  readonly tick: TickEntry;
  readonly quote: JudgedQuote;
  readonly rules: DecidingRules & { readonly pyth: PythRules };
}

/** What one signed update shows. */
interface Found {
  readonly signers: number;
  readonly routers: number;
  readonly isKnown: boolean;
  readonly newest: 'newest' | 'late' | 'unknown';
}

/**
 * Checks each signed update that the receipt shows. Whatever one contradicts makes the receipt wrong; that one is missing does not.
 * @returns `finding` null: none is shown; `isUnsigned`: one is missing
 */
export function checkUpdates(subject: Case): { finding: Finding | null; isUnsigned: boolean } {
  const wanted = wantedOf(subject);
  const shown = subject.receipt.updates ?? [];
  const found: Found[] = [];
  for (const one of shown) {
    const place = wanted.find(({ index }) => index === one.index);
    const answer = place ? judge(one, place) : 'is shown for an entry that did not decide by a quote of Pyth';
    if (typeof answer === 'string')
      return {
        finding: fault(`the signed update of the entry at ${one.index} ${answer}`),
        isUnsigned: false,
      };
    found.push(answer);
  }
  const isUnsigned = found.length < wanted.length;
  if (found.length === 0) return { finding: null, isUnsigned };
  const count = (newest: Found['newest']) => found.filter((each) => each.newest === newest).length;
  return {
    finding: {
      values: {
        count: found.length,
        wanted: wanted.length,
        signers: Math.min(...found.map(({ signers }) => signers)),
        routers: Math.max(...found.map(({ routers }) => routers)),
        known: found.filter(({ isKnown }) => isKnown).length,
        newest: count('newest'),
        late: count('late'),
      },
    },
    isUnsigned,
  };
}

/** The ticks that opened and settled an order and have a quote of Pyth, each once. */
function wantedOf({ form, opening, settling, rules }: Case): Wanted[] {
  if (form !== 'opened') return [];
  const deciding = [opening.at(-1), settling.length === 1 ? settling[0] : undefined];
  const places = new Map(
    deciding
      .filter((place): place is SymbolPlaced => place !== undefined)
      .map((place) => [place.index, place]),
  );
  return [...places.values()].flatMap(({ index, entry: tick }) => {
    const named = rules.find(({ hash }) => hash === tick.rulesHash)?.rules;
    if (tick.kind !== 'tick' || !named?.pyth) return [];
    const quote = tick.quotes.find(({ source }) => source === PYTH_SOURCE);
    if (!quote || quote.use === 'none') return [];
    return [{ index, tick, quote, rules: { ...named, pyth: named.pyth } }];
  });
}

/** @returns a text that is the fault */
function judge({ update, next }: ReceiptUpdate, wanted: Wanted): Found | string {
  const { tick, quote, rules } = wanted;
  const used = statementOf(update, rules.pyth);
  if (typeof used === 'string') return used;
  if (!saysPythQuote(used, quote, tick.decimals)) return 'says another price or time than the quote';
  const { keys, signers, time } = used.update;
  const { symbol, feed } = { symbol: tick.symbol, feed: rules.pyth.feed };
  const found = {
    signers,
    routers: keys.routers.length,
    isKnown: isKnownPyth(keys, { timeMs: time * 1000, symbol, feed }),
  };
  if (next === null) return { ...found, newest: 'unknown' };
  const later = statementOf(next, rules.pyth);
  if (typeof later === 'string') return `has a next one that ${later}`;
  if (later.update.slot <= used.update.slot) return 'has a next one that is not later';
  return { ...found, newest: judgeNextUpdate(used, later, tick.timeMs - rules.lagMs) };
}

function statementOf(text: string, rules: PythRules): PythStatement | string {
  const bytes = fromBase64(text);
  return bytes === null ? 'is no base64' : readPythStatement(bytes, rules);
}
