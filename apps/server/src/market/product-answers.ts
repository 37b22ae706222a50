import { formatDecimal } from '@fairtick/money';
import type { Language, Product as ProductAnswer, ProductDetail, Quote } from '@fairtick/protocol';
import { type Level, type ProductRules, type PythRules, purchaseLimits } from '@fairtick/trading';
import type { Assets } from '../platform/assets.ts';
import { changeOf, type MarketRow } from './market-view.ts';
import { closedOf, type StateParts } from './product-state.ts';
import { TradingHours } from './trading-hours.ts';

export interface ProductAnswerParts extends StateParts {
  readonly assets: Assets;
}

/** One product of the wire's list, for a customer of `level`. */
export function productAnswer(
  parts: ProductAnswerParts,
  row: MarketRow,
  { language, level }: { language: Language; level: Level },
): ProductAnswer {
  return {
    ...boardAnswer(parts, row, language),
    cycles: row.rules ? cyclesOf(parts.assets, row.rules.rules, level) : [],
  };
}

/** The same without cycles, for a screen of many products. */
function boardAnswer(
  parts: ProductAnswerParts,
  row: MarketRow,
  language: Language,
): Omit<ProductAnswer, 'cycles'> {
  const { product, rules, day } = row;
  const points = (value: bigint | undefined | null) =>
    value == null ? null : formatDecimal(value, product.decimals);
  const nowMs = parts.nowMs();
  const hours = rules && TradingHours.of(rules.rules.schedule);
  const closed = closedOf(row, parts);
  return {
    symbol: product.symbol,
    name: product.names[language],
    ...(product.isAdded ? { words: [...Object.values(product.names), ...product.aliases] } : {}),
    assetClass: product.assetClass,
    decimals: product.decimals,
    isOpen: closed === null || closed.because === 'full',
    closed,
    n: row.n,
    sourcesNow: row.sourcesNow,
    price: points(row.price),
    priceAt: row.price === null ? null : (row.priceMs ?? hours?.closedAt(nowMs) ?? null),
    dayOpen: points(day?.open),
    ...changeOf(row),
    high: points(day?.high),
    low: points(day?.low),
    volume: day === null ? null : String(day.volume),
  };
}

/** A row as the stream's `quote` data. */
export function quoteOf(row: MarketRow, parts: StateParts): Quote {
  return {
    symbol: row.product.symbol,
    n: row.n ?? 0,
    price: row.price === null || row.gap !== null ? null : formatDecimal(row.price, row.product.decimals),
    time: row.priceMs ?? 0,
    closed: closedOf(row, parts),
    sourcesNow: row.sourcesNow,
    ...changeOf(row),
  };
}

/** All products' board rows, as they are now. */
export const boardAnswers = (parts: ProductAnswerParts, rows: readonly MarketRow[], language: Language) =>
  rows.map((row) => boardAnswer(parts, row, language));

/** One product with all its rules. */
export function productDetailAnswer(
  parts: ProductAnswerParts,
  row: MarketRow,
  options: { language: Language; level: Level; ruleTexts: readonly string[] },
): ProductDetail {
  const rules = row.rules?.rules;
  const period = rules && TradingHours.of(rules.schedule).periodAt(parts.nowMs());
  return {
    ...productAnswer(parts, row, options),
    schedule: {
      zone: rules?.schedule.zone ?? 'UTC',
      windows: (rules?.schedule.windows ?? []).map((window) => ({ ...window, days: [...window.days] })),
      holidays: [...(rules?.schedule.holidays ?? [])],
      shortDays: (rules?.schedule.shortDays ?? []).map(({ date, windows }) => ({
        date,
        windows: [...windows],
      })),
      ...(rules?.schedule.until === undefined ? {} : { until: rules.schedule.until }),
    },
    day: row.product.day,
    sessionEndsAt: period?.endMs ?? null,
    sources: [...(rules?.sources ?? [])],
    isSimulated: parts.feed === 'simulated',
    licences: { ...rules?.licences },
    ...(rules?.pyth ? { pyth: writable(rules.pyth) } : {}),
    quorum: rules?.quorum ?? 0,
    quietMs: rules?.quietMs ?? 0,
    waitMs: rules?.waitMs ?? 0,
    outlierBps: rules?.outlierBps ?? 0,
    delayMs: rules?.delayMs ?? 0,
    rulesHash: row.rules?.hash ?? null,
    rules: [...options.ruleTexts],
  };
}

const writable = ({ feed, keys }: PythRules): NonNullable<ProductDetail['pyth']> => ({
  feed,
  keys: keys.map((set) => ({ ...set, routers: [...set.routers] })),
});

/** Cycles by rules and level: lists are written several times a second, and rules rarely change. */
const written = new WeakMap<ProductRules, Map<Level, ProductAnswer['cycles']>>();

function cyclesOf(assets: Assets, rules: ProductRules, level: Level): ProductAnswer['cycles'] {
  const byLevel = written.get(rules) ?? new Map<Level, ProductAnswer['cycles']>();
  written.set(rules, byLevel);
  const cycles = byLevel.get(level) ?? writeCycles(assets, rules, level);
  byLevel.set(level, cycles);
  return cycles;
}

function writeCycles(assets: Assets, rules: ProductRules, level: Level): ProductAnswer['cycles'] {
  return rules.cycles.map(({ minutes, payoutRate }) => ({
    minutes,
    payoutRate,
    limits: assets.all.flatMap(({ code, scale }) => {
      const limits = purchaseLimits(rules, { minutes, asset: code, scale, level });
      if (!limits) return [];
      return [
        {
          asset: code,
          minBalance: formatDecimal(limits.minBalance, scale),
          minPurchase: formatDecimal(limits.minPurchase, scale),
          maxPurchase: limits.maxPurchase === null ? null : formatDecimal(limits.maxPurchase, scale),
        },
      ];
    }),
  }));
}
