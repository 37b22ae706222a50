import type { Period } from '@fairtick/protocol';
import { customerNow } from '../../../state/session.ts';
import { readOwn, storeOwn } from '../../../state/storage.ts';

export const PERIODS: readonly Period[] = ['1m', '5m', '30m', '1d', '1w', '1M'];
export const STYLES = ['candles', 'line', 'area'] as const;
export type ChartStyle = (typeof STYLES)[number];
/** Moving average, exponential moving average and Bollinger bands lie on the prices; the other two have panes of their own. */
export const STUDIES = ['ma', 'ema', 'boll', 'rsi', 'macd'] as const;
export type Study = (typeof STUDIES)[number];

/** What a customer chose for all charts on this device. */
export interface ChartSettings {
  readonly period: Period;
  readonly style: ChartStyle;
  /** In the order of {@link STUDIES}. */
  readonly studies: readonly Study[];
}

export const hasOwnPane = (study: Study): boolean => study === 'rsi' || study === 'macd';

/** The stored choice; a part that is missing or invalid has its default. */
export function readChartSettings(): ChartSettings {
  const stored = parse(readOwn('chart', customerNow()));
  const chosen = Array.isArray(stored.studies) ? stored.studies : [];
  return {
    period: PERIODS.find((period) => period === stored.period) ?? '1m',
    style: STYLES.find((style) => style === stored.style) ?? 'candles',
    studies: STUDIES.filter((study) => chosen.includes(study)),
  };
}

export function storeChartSettings(settings: ChartSettings): void {
  storeOwn('chart', customerNow(), JSON.stringify(settings));
}

function parse(text: string | null): Partial<Record<keyof ChartSettings, unknown>> {
  try {
    return (text && JSON.parse(text)) || {};
  } catch {
    return {};
  }
}
