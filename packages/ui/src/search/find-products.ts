import words from './products.json' with { type: 'json' };
import { searchIn, typedAs } from './search.ts';

const WORDS: Readonly<Record<string, readonly string[] | undefined>> = words;

/** A search of products by symbol, names in all languages, what people call them, and pinyin. */
export const searchProducts = <T extends { readonly symbol: string; readonly name: string }>(
  products: readonly T[],
) =>
  searchIn(products, ({ symbol, name }) => {
    const [names = [], aliases = [], syllables = [], kinds = []] = (WORDS[symbol] ?? []).map((list) =>
      list.split(','),
    );
    return [[symbol, name, ...names], aliases, typedAs(syllables), kinds];
  });
