import type { Venue } from './venue.ts';
import { binance } from './venues/binance.ts';
import { bitstamp } from './venues/bitstamp.ts';
import { bybit } from './venues/bybit.ts';
import { coinbase } from './venues/coinbase.ts';
import { kraken } from './venues/kraken.ts';
import { oanda } from './venues/oanda.ts';
import { okx } from './venues/okx.ts';
import { pyth } from './venues/pyth.ts';
import { tiingo } from './venues/tiingo.ts';

/** All venues. The exchanges of cryptocurrency need no key. */
export const VENUES: readonly Venue[] = [
  binance,
  bitstamp,
  bybit,
  coinbase,
  kraken,
  oanda,
  okx,
  pyth,
  tiingo,
];
