import words from './products.json' with { type: 'json' };
import { searchIn, typedAs } from './search.ts';

const WORDS: Readonly<Record<string, readonly string[] | undefined>> = words;

interface Found {
  readonly symbol: string;
  readonly name: string;
  /** Other names, of a product that was added at run time. */
  readonly words?: readonly string[] | undefined;
}

/** A search of products by symbol, names in all languages, what people call them, pinyin and initials. */
export const searchProducts = <T extends Found>(products: readonly T[]) =>
  searchIn(products, ({ symbol, name, words: added = [] }) => {
    const [names = [], aliases = [], syllables = [], kinds = []] = (WORDS[symbol] ?? []).map((list) =>
      list.split(','),
    );
    return [[symbol, name, ...names, ...added], aliases, typedAs([...syllables, ...added]), kinds];
  });
