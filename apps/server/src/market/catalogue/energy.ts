import { localised, type Texts } from '@fairtick/protocol/languages';
import type { CatalogueProduct } from './catalogue-product.ts';
import { type Driver, GAS, OIL } from './drivers.ts';
import { DAY_LONG } from './schedules.ts';

function energy(
  symbol: string,
  names: Texts,
  decimals: number,
  model: { reference: number; volatility: number; market: Driver; beta: number },
): CatalogueProduct {
  return {
    symbol,
    names: localised(...names),
    assetClass: 'energy',
    decimals,
    schedule: DAY_LONG,
    group: 'energy',
    quietMs: 5000,
    outlierBps: 60,
    model: { kind: 'listed', ...model },
  };
}

/** Prices in dollars per barrel, and in dollars per million British thermal units. */
export const ENERGY: readonly CatalogueProduct[] = [
  energy('USOIL', ['WTI 原油', '西德州原油', 'WTI Crude Oil'], 3, {
    reference: 59.3,
    volatility: 0.33,
    market: OIL,
    beta: 1,
  }),
  energy('UKOIL', ['布伦特原油', '布蘭特原油', 'Brent Crude Oil'], 3, {
    reference: 63.1,
    volatility: 0.32,
    market: OIL,
    beta: 0.97,
  }),
  energy('NGAS', ['天然气', '天然氣', 'Natural Gas'], 4, {
    reference: 4.62,
    volatility: 0.52,
    market: GAS,
    beta: 1,
  }),
];
