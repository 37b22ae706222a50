import type { Venue } from './venue.ts';
import { binance } from './venues/binance.ts';
import { bitstamp } from './venues/bitstamp.ts';
import { bybit } from './venues/bybit.ts';
import { coinbase } from './venues/coinbase.ts';
import { kraken } from './venues/kraken.ts';
import { okx } from './venues/okx.ts';

/** All venues, none of which needs a key. */
export const VENUES: readonly Venue[] = [binance, bitstamp, bybit, coinbase, kraken, okx];
