import type { MessageId } from '../../../messages/text.ts';
import type { ChartScale, ChartStyle, Study } from '../plot/chart-settings.ts';
import type { Tool } from './drawings.ts';

export const TOOL_NAMES: Readonly<Record<Tool, MessageId>> = {
  trend: 'chart.trend',
  level: 'chart.level',
  box: 'chart.box',
  fib: 'chart.fib',
  alert: 'chart.priceAlert',
};

export const SCALE_NAMES: Readonly<Record<ChartScale, MessageId>> = {
  normal: 'chart.scaleNormal',
  log: 'chart.scaleLog',
  percent: 'chart.scalePercent',
};

export const STYLE_NAMES: Readonly<Record<ChartStyle, MessageId>> = {
  candles: 'chart.candles',
  line: 'chart.line',
  area: 'chart.area',
};

export const STUDY_NAMES: Readonly<Record<Study, MessageId>> = {
  ma: 'chart.ma',
  ema: 'chart.ema',
  boll: 'chart.boll',
  rsi: 'chart.rsi',
  macd: 'chart.macd',
};
