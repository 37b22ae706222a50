import type { BoardRow } from '../../live/market.ts';

/** Flags of `circle-flags` that some product shows, by the first two letters of a currency's code. */
export const FLAGS = 'au ca ch cn de dk es eu fr gb hk hu jp mx no nz pl se sg th tr us za'.split(' ');
/** Marks of `drawn-marks.svg`. */
const DRAWN = 'ADA AVAX BNB BTC DOGE ETH LTC SOL TRX XRP'.split(' ');
/** Marks of products whose symbol does not begin with the country's letters. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  GER40: ['de'],
  UK100: ['gb'],
  SWI20: ['ch'],
  CHINA50: ['cn'],
  NAS100: ['us'],
  SPX500: ['us'],
  USOIL: ['OIL', 'us'],
  UKOIL: ['OIL', 'gb'],
  NGAS: ['GAS'],
};
/** Chemical symbols stand for metals. */
const METALS: Readonly<Record<string, string>> = { XAU: 'Au', XAG: 'Ag', XPT: 'Pt', XPD: 'Pd' };

/** What stands before a product's name: one or two pictures, or letters. */
export type Mark =
  | { readonly ids: readonly string[] }
  | { readonly letters: string; readonly metal: string | null };

/** A pair of currencies has both flags; what is paid for in dollars, such as a coin, has its own mark alone. */
export function markOf({ symbol, name, assetClass }: Pick<BoardRow, 'symbol' | 'name' | 'assetClass'>): Mark {
  const [base = '', quote = ''] = symbol.split('/');
  const metal = METALS[base];
  if (metal !== undefined) return { letters: metal, metal: base };
  const ids =
    OTHERS[symbol] ??
    (assetClass === 'crypto'
      ? DRAWN.filter((id) => id === base)
      : assetClass === 'stock'
        ? []
        : [base, quote].map((part) => part.slice(0, 2).toLowerCase()).filter((id) => FLAGS.includes(id)));
  // The first letter of a name is the company's; a code may be a number.
  return ids.length > 0 ? { ids } : { letters: [...name][0] ?? '', metal: null };
}
