import type { Period } from '@fairtick/protocol';
import { readStored, storeInSession } from '../../../state/storage.ts';

/** The periods of candles, and a view of single seconds: a line of the last price of each. */
export type ChartPeriod = Period | '1s';
export const CHART_PERIODS = [
  '1s',
  '1m',
  '5m',
  '15m',
  '30m',
  '1h',
  '4h',
  '1d',
  '1w',
  '1M',
] as const satisfies readonly ChartPeriod[];
export const STYLES = ['candles', 'line', 'area'] as const;
export type ChartStyle = (typeof STYLES)[number];
export const SCALES = ['normal', 'log', 'percent'] as const;
export type ChartScale = (typeof SCALES)[number];
/** Moving average, exponential moving average and Bollinger bands lie on the prices; the other two have panes of their own. */
export const STUDIES = ['ma', 'ema', 'boll', 'rsi', 'macd'] as const;
export type Study = (typeof STUDIES)[number];

/** The numbers of a study: of candles, and of Bollinger bands also of deviations. */
export type Lengths = Readonly<Record<Study, readonly number[]>>;
export const USUAL_LENGTHS: Lengths = {
  ma: [5, 10, 30],
  ema: [12, 26],
  boll: [20, 2],
  rsi: [14],
  macd: [12, 26, 9],
};

export const boundsOf = (study: Study, at: number): { least: number; most: number; step: number } =>
  study === 'boll' && at === 1 ? { least: 0.5, most: 5, step: 0.5 } : { least: 2, most: 200, step: 1 };

/** Whether a study can be computed with these numbers. MACD's first average is the shorter one. */
export function areLengths(study: Study, values: unknown): values is readonly number[] {
  if (!Array.isArray(values) || values.length !== USUAL_LENGTHS[study].length) return false;
  const isWithin = (value: unknown, at: number) => {
    const { least, most, step } = boundsOf(study, at);
    return typeof value === 'number' && value >= least && value <= most && Number.isInteger(value / step);
  };
  return values.every(isWithin) && (study !== 'macd' || values[0] < values[1]);
}

export interface ChartSettings {
  readonly period: ChartPeriod;
  readonly style: ChartStyle;
  readonly scale: ChartScale;
  /** Whether crosshair and drawings stand at the prices of candles. */
  readonly hasMagnet: boolean;
  /** In the order of {@link STUDIES}. */
  readonly studies: readonly Study[];
  readonly lengths: Lengths;
  /** The symbol of another product whose line is on the chart; null: none. */
  readonly compare: string | null;
}

/** The settings of a first visit, with which the server draws the first candles. */
export const FIRST_SETTINGS: ChartSettings = {
  period: '1m',
  style: 'candles',
  scale: 'normal',
  hasMagnet: false,
  studies: [],
  lengths: USUAL_LENGTHS,
  compare: null,
};

export const hasOwnPane = (study: Study): boolean => study === 'rsi' || study === 'macd';

/** The stored choice; a part that is missing or invalid has its default. */
export function readChartSettings(): ChartSettings {
  const stored = parse(readStored('chart'));
  const chosen = Array.isArray(stored.studies) ? stored.studies : [];
  return {
    period: CHART_PERIODS.find((period) => period === stored.period) ?? FIRST_SETTINGS.period,
    style: STYLES.find((style) => style === stored.style) ?? FIRST_SETTINGS.style,
    scale: SCALES.find((scale) => scale === stored.scale) ?? FIRST_SETTINGS.scale,
    hasMagnet: stored.hasMagnet === true,
    studies: STUDIES.filter((study) => chosen.includes(study)),
    lengths: lengthsOf(stored.lengths),
    compare: typeof stored.compare === 'string' ? stored.compare : null,
  };
}

function lengthsOf(stored: unknown): Lengths {
  const known = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>;
  const entries = STUDIES.map((study) => {
    const values = known[study];
    return [study, areLengths(study, values) ? values : USUAL_LENGTHS[study]];
  });
  return Object.fromEntries(entries) as Lengths;
}

export function storeChartSettings(settings: ChartSettings): void {
  storeInSession('chart', JSON.stringify(settings));
}

function parse(text: string | null): Partial<Record<keyof ChartSettings, unknown>> {
  try {
    return (text && JSON.parse(text)) || {};
  } catch {
    return {};
  }
}
