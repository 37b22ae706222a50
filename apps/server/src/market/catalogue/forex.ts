import { ROUND_THE_CLOCK } from '@fairtick/trading';
import type { CatalogueProduct, Currency } from './catalogue-product.ts';
import {
  AUD,
  CAD,
  CHF,
  CNH,
  DKK,
  EUR,
  GBP,
  HKD,
  HUF,
  JPY,
  MXN,
  NOK,
  NZD,
  PLN,
  pairNames,
  SEK,
  SGD,
  THB,
  TRY,
  USD,
  ZAR,
} from './currencies.ts';

type Tier = 'major' | 'cross' | 'emerging';

function pair(base: Currency, quote: Currency, tier: Tier, decimals: number): CatalogueProduct {
  return {
    symbol: `${base.code}/${quote.code}`,
    names: pairNames(base, quote),
    assetClass: 'forex',
    decimals,
    schedule: ROUND_THE_CLOCK,
    group: tier === 'emerging' ? 'fx-em' : groupOf(base, quote),
    quietMs: 5000,
    outlierBps: tier === 'major' ? 25 : 40,
    model: { kind: 'pair', base, quote },
  };
}

/** The group is the side of the pair that it shares most of its risk through. */
function groupOf(base: Currency, quote: Currency): string {
  for (const shared of [JPY, USD, EUR, GBP]) {
    if (base === shared || quote === shared) return `fx-${shared.code.toLowerCase()}`;
  }
  return 'fx-commodity';
}

const major = (base: Currency, quote: Currency) => pair(base, quote, 'major', quote === JPY ? 3 : 5);
const cross = (base: Currency, quote: Currency) => pair(base, quote, 'cross', quote === JPY ? 3 : 5);
const emerging = (base: Currency, quote: Currency, decimals: number) =>
  pair(base, quote, 'emerging', decimals);

export const FOREX: readonly CatalogueProduct[] = [
  major(EUR, USD),
  major(GBP, USD),
  major(USD, JPY),
  major(USD, CHF),
  major(AUD, USD),
  major(USD, CAD),
  major(NZD, USD),

  cross(EUR, GBP),
  cross(EUR, JPY),
  cross(EUR, CHF),
  cross(EUR, AUD),
  cross(EUR, CAD),
  cross(EUR, NZD),
  cross(GBP, JPY),
  cross(GBP, CHF),
  cross(GBP, AUD),
  cross(GBP, CAD),
  cross(GBP, NZD),
  cross(AUD, JPY),
  cross(AUD, CAD),
  cross(AUD, CHF),
  cross(AUD, NZD),
  cross(NZD, JPY),
  cross(NZD, CAD),
  cross(NZD, CHF),
  cross(CAD, JPY),
  cross(CAD, CHF),
  cross(CHF, JPY),

  cross(USD, SGD),
  cross(SGD, JPY),
  cross(USD, NOK),
  cross(USD, SEK),
  cross(USD, DKK),
  cross(EUR, NOK),
  cross(EUR, SEK),

  emerging(USD, CNH, 5),
  emerging(USD, HKD, 5),
  emerging(USD, MXN, 4),
  emerging(USD, ZAR, 4),
  emerging(USD, TRY, 4),
  emerging(USD, PLN, 5),
  emerging(EUR, PLN, 5),
  emerging(USD, HUF, 3),
  emerging(USD, THB, 3),
];
