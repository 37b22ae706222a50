import scripts from './scripts.json' with { type: 'json' };

/**
 * The names by which a search finds one thing, in groups, those that it is called by first. A reader may begin at each word, number
 * and Chinese character of a name.
 */
export type Names = readonly (readonly string[])[];

/** Simplified characters by other forms of them, for all characters that stand in the lists of words. */
const SIMPLIFIED = new Map(scripts.pairs.match(/../gu)?.map(([form, simple]) => [form, simple]));
const HAN = /\p{Script=Han}/u;
const WORD = /\p{Script=Han}|\p{N}+|[^\P{L}\p{Script=Han}]+/gu;
const NO_WORD = /[^\p{L}\p{N}]+/u;

/** One form of what people type differently: width, case, accents, and both Chinese scripts. */
const fold = (text: string): string =>
  Array.from(
    text.normalize('NFKC').toLowerCase().normalize('NFD').replace(/\p{M}/gu, ''),
    (character) => SIMPLIFIED.get(character) ?? character,
  ).join('');

const squeezed = (text: string): string => fold(text).split(NO_WORD).join('');

/** Whether a code or an account has the query anywhere: people know its end as well as its beginning. */
export const contains = (text: string, query: string): boolean => squeezed(text).includes(squeezed(query));

/** A name from one of the places at which a reader may begin, without separators: `newyork` and `york`. */
interface Rest {
  readonly text: string;
  /** Where its words end. */
  readonly ends: readonly number[];
}

function restsOf(name: string): readonly Rest[] {
  const words: readonly string[] = fold(name).match(WORD) ?? [];
  return words.map((_, at) => {
    const rest = words.slice(at);
    return { text: rest.join(''), ends: rest.map((_, end) => rest.slice(0, end + 1).join('').length) };
  });
}

/** What was typed of a name, without separators. */
interface Typed {
  readonly text: string;
  /** Whether a separator ends it, so that its last word is whole: `eur/` is not `euro`. */
  readonly isWhole: boolean;
}

const begins = ({ text, ends }: Rest, typed: Typed): boolean =>
  text.startsWith(typed.text) && (!typed.isWhole || ends.includes(typed.text.length));

/** How well it fits what was typed: a whole name, a name that begins so, a word in it. Of equal ones the first group counts most. */
function rankIn(groups: readonly (readonly (readonly Rest[])[])[], typed: Typed): number {
  let best = Number.POSITIVE_INFINITY;
  for (const [group, names] of groups.entries()) {
    for (const rests of names) {
      const at = rests.findIndex((rest) => begins(rest, typed));
      if (at < 0) continue;
      const fit = at > 0 ? 2 : rests[0]?.text === typed.text ? 0 : 1;
      best = Math.min(best, fit * groups.length + group);
    }
  }
  return best;
}

/** Whether a word fits, or consists of parts that do: Chinese has no spaces, as in `标普500指数`. */
function fitsInParts(word: string, fits: (part: string) => boolean): boolean {
  if (fits(word)) return true;
  const letters = HAN.test(word) ? Array.from(word) : [];
  return letters.some(
    (_, at) =>
      at >= 2 &&
      at <= letters.length - 2 &&
      fits(letters.slice(0, at).join('')) &&
      fitsInParts(letters.slice(at).join(''), fits),
  );
}

/** What is typed for Chinese names instead of characters: syllables, and the first letter of each. */
export const typedAs = (syllables: readonly string[]): readonly string[] =>
  syllables.flatMap((name) => [name, name.replaceAll(/\B[a-z]/g, '').replaceAll(' ', '')]);

/** A search in a list: those that a query finds, the best first, else in their order; all of them while nothing is typed. */
export function searchIn<T>(items: readonly T[], namesOf: (item: T) => Names) {
  const all = items.map((item) => ({ item, groups: namesOf(item).map((names) => names.map(restsOf)) }));
  return (query: string): readonly T[] => {
    if (query.trim() === '') return items;
    const words = fold(query).split(NO_WORD).filter(Boolean);
    const isWhole = /[^\p{L}\p{N}\s]$/u.test(fold(query));
    // Separators count neither in a name nor within what is typed: `btc-usdt`, `BTC/USDT`, `newyork`.
    const text = words.join('');
    return all
      .flatMap(({ item, groups }) => {
        const rank = rankIn(groups, { text, isWhole });
        const fits = (part: string) => Number.isFinite(rankIn(groups, { text: part, isWhole }));
        const isFound = Number.isFinite(rank) || words.every((word) => fitsInParts(word, fits));
        return text !== '' && isFound ? [{ item, rank }] : [];
      })
      .sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank))
      .map(({ item }) => item);
  };
}
