import type { Period } from '@fairtick/protocol';
import { customerNow } from '../../../state/session.ts';
import { readOwn, storeOwn } from '../../../state/storage.ts';

/** The six periods of candles, and a view of single seconds: a line of the last price of each. */
export type ChartPeriod = Period | '1s';
export const CHART_PERIODS: readonly ChartPeriod[] = ['1s', '1m', '5m', '30m', '1d', '1w', '1M'];
export const STYLES = ['candles', 'line', 'area'] as const;
export type ChartStyle = (typeof STYLES)[number];
export const SCALES = ['normal', 'log', 'percent'] as const;
export type ChartScale = (typeof SCALES)[number];
/** Moving average, exponential moving average and Bollinger bands lie on the prices; the other two have panes of their own. */
export const STUDIES = ['ma', 'ema', 'boll', 'rsi', 'macd'] as const;
export type Study = (typeof STUDIES)[number];

/** What a customer chose for all charts on this device. */
export interface ChartSettings {
  readonly period: ChartPeriod;
  readonly style: ChartStyle;
  readonly scale: ChartScale;
  /** Whether crosshair and drawings stand at the prices of candles. */
  readonly hasMagnet: boolean;
  /** In the order of {@link STUDIES}. */
  readonly studies: readonly Study[];
}

export const hasOwnPane = (study: Study): boolean => study === 'rsi' || study === 'macd';

/** The stored choice; a part that is missing or invalid has its default. */
export function readChartSettings(): ChartSettings {
  const stored = parse(readOwn('chart', customerNow()));
  const chosen = Array.isArray(stored.studies) ? stored.studies : [];
  return {
    period: CHART_PERIODS.find((period) => period === stored.period) ?? '1m',
    style: STYLES.find((style) => style === stored.style) ?? 'candles',
    scale: SCALES.find((scale) => scale === stored.scale) ?? 'normal',
    hasMagnet: stored.hasMagnet === true,
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
