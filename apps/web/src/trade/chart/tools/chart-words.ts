import type { MessageId } from '../../../messages/text.ts';
import type { ChartStyle, Study } from '../plot/chart-settings.ts';
import type { DrawingKind } from './drawings.ts';

export const DRAWING_NAMES: Readonly<Record<DrawingKind, MessageId>> = {
  trend: 'chart.trend',
  level: 'chart.level',
  box: 'chart.box',
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
