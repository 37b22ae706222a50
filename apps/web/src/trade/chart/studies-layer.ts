import type { Candle } from '@fairtick/protocol';
import {
  type AutoscaleInfo,
  HistogramSeries,
  type IChartApi,
  type IPriceScaleApi,
  type ISeriesApi,
  LineSeries,
  LineStyle,
  PriceScaleMode,
  type SeriesType,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { MessageId } from '../../messages/text.ts';
import type { CandleChart, ChartLayer } from './plot/candle-chart.ts';
import { PRICE_MARGINS, priceFormatOf } from './plot/chart-bars.ts';
import { colours } from './plot/chart-colours.ts';
import { holdAxis } from './plot/chart-frame.ts';
import { hasOwnPane, type Lengths, type Study } from './plot/chart-settings.ts';
import { namesOf, StudyLines } from './study-lines.ts';

/** Height of an indicator's pane, as a share of the pane of the prices. */
const PANE_SHARE = 0.4;
/** Height of the legend in a pane of its own, and the room between a legend and the lines, px. */
const LEGEND_HEIGHT = 18;
const LEGEND_GAP = 6;
/** The most of a pane's height that its legend may take. */
const LEGEND_MOST = 0.5;
/** Colour and dash of each study's lines. Lines of one pane differ by colour, and by dash for readers without colours. */
const LOOKS: Readonly<Record<Study, readonly (readonly [colour: string, dash: LineStyle])[]>> = {
  ma: [
    ['--study-1', LineStyle.Solid],
    ['--study-2', LineStyle.Solid],
    ['--study-3', LineStyle.Solid],
  ],
  ema: [
    ['--study-4', LineStyle.Dashed],
    ['--study-5', LineStyle.Dashed],
  ],
  boll: [
    ['--study-6', LineStyle.Solid],
    ['--study-4', LineStyle.LargeDashed],
    ['--study-6', LineStyle.Dotted],
  ],
  rsi: [['--study-4', LineStyle.Solid]],
  macd: [
    ['--study-5', LineStyle.Solid],
    ['--study-2', LineStyle.Dashed],
    ['--study-6', LineStyle.Solid],
  ],
};
/** Bands stretch the scale on each side by at most this share of the candles' range. */
const MOST_STRETCH = 0.5;
/** MACD seldom reaches this share of the price. */
const MACD_SHARE = 0.01;
/** Above and below these, traders call a market overbought and oversold. */
const RSI_BOUNDS = [70, 30];
/** The range that the axis always shows, so that both bounds stay in sight. */
const RSI_RANGE = { minValue: 10, maxValue: 90 };

/** The words for the lines of a study that has one name for all of them. */
const WORDS: Partial<Readonly<Record<Study, readonly MessageId[]>>> = {
  boll: ['chart.bollUpper', 'chart.bollMiddle', 'chart.bollLower'],
  macd: ['chart.macdLine', 'chart.macdSignal', 'chart.macdHistogram'],
};

/** A line's value at a candle; its word tells lines of one name apart. */
interface LineValue {
  readonly word: MessageId | null;
  readonly value: string;
  readonly colour: string;
}

export interface StudyValue {
  readonly study: Study;
  readonly name: string;
  readonly values: readonly LineValue[];
  /** Distance of its pane from the chart's top, px; 0 for a study that lies on the prices. */
  readonly top: number;
}

interface Shown {
  readonly lines: StudyLines;
  readonly series: readonly ISeriesApi<SeriesType>[];
}

export class StudiesLayer implements ChartLayer {
  readonly #chart: IChartApi;
  readonly #box: HTMLElement;
  readonly #decimals: number;
  readonly #shown: readonly Shown[];
  readonly #scale: IPriceScaleApi;
  #candles: readonly Candle[] = [];
  #isGone = false;

  constructor(chart: CandleChart, studies: readonly Study[], lengths: Lengths) {
    this.#chart = chart.parts.chart;
    this.#box = chart.parts.box;
    this.#decimals = chart.decimals;
    this.#shown = studies.map((study) => this.#add(study, lengths[study]));
    this.#scale = chart.parts.prices.priceScale();
    const panes = this.#chart.panes();
    for (const pane of panes) pane.setStretchFactor(pane.paneIndex() === 0 ? 1 : PANE_SHARE);
  }

  show(candles: readonly Candle[], isNext: boolean | null): void {
    const last = candles.at(-1);
    if (!last) return;
    this.#holdAxis(Number(last.close));
    const isContinued = isNext !== null && this.#candles.length === candles.length - (isNext ? 1 : 0);
    this.#candles = candles;
    for (const { lines, series } of this.#shown) {
      if (isContinued) {
        lines.take(Number(last.close), isNext);
        const values = lines.values.at(-1);
        for (const [at, one] of series.entries()) one.update(point(last, values?.[at]));
      } else {
        lines.begin(candles.map(({ close }) => Number(close)));
        for (const [at, one] of series.entries())
          one.setData(candles.map((candle, index) => point(candle, lines.values[index]?.[at])));
      }
    }
  }

  paint(): void {
    const colour = colours(this.#box);
    this.#chart.applyOptions({
      layout: { panes: { separatorColor: colour('--line'), separatorHoverColor: colour('--line-2') } },
    });
    for (const { lines, series } of this.#shown) {
      for (const [at, one] of series.entries()) {
        const [name = '--ink-2'] = LOOKS[lines.study][at] ?? [];
        const isBars = one.seriesType() === 'Histogram';
        one.applyOptions({ color: isBars ? `${colour(name)}66` : colour(name) });
        for (const bound of one.priceLines())
          bound.applyOptions({
            color: colour('--edge'),
            axisLabelColor: colour('--s3'),
            axisLabelTextColor: colour('--ink-2'),
          });
      }
    }
  }

  valuesAt(index: number): StudyValue[] {
    // The frame for which a legend waited may come after the chart is gone.
    if (this.#isGone) return [];
    const tops = this.#tops();
    return this.#shown.flatMap(({ lines, series }) => {
      const { study, lengths } = lines;
      const words = WORDS[study];
      const top = tops[series[0]?.getPane().paneIndex() ?? 0] ?? 0;
      const values = (lines.values[index] ?? []).map((value, at) => ({
        word: words?.[at] ?? null,
        value: value === null ? '–' : (series[at]?.priceFormatter().format(value) ?? ''),
        colour: LOOKS[study][at]?.[0] ?? '',
      }));
      const names = namesOf(study, lengths);
      return words
        ? [{ study, name: names[0] ?? '', values, top }]
        : values.map((value, at) => ({ study, name: names[at] ?? '', values: [value], top }));
    });
  }

  /**
   * Keeps the lines of each pane below its legend.
   * @param legendPx height of the legend over the prices; 0: there is none
   */
  makeRoom(legendPx: number): void {
    if (this.#isGone) return;
    const heights = this.#chart.panes().map((pane) => pane.getHeight());
    const reserve = (scale: IPriceScaleApi | undefined, height: number | undefined, legend: number) => {
      if (!scale || !height) return;
      const { top, bottom } = scale.options().scaleMargins;
      const needed = Math.min(LEGEND_MOST, (legend + LEGEND_GAP) / height);
      if (Math.abs(needed - top) > 0.01) scale.applyOptions({ scaleMargins: { top: needed, bottom } });
    };
    reserve(this.#scale, heights[0], Math.max(legendPx, PRICE_MARGINS.top * (heights[0] ?? 0) - LEGEND_GAP));
    for (const { series } of this.#shown) {
      const pane = series[0]?.getPane().paneIndex() ?? 0;
      if (pane > 0) reserve(series[0]?.priceScale(), heights[pane], LEGEND_HEIGHT);
    }
  }

  remove(): void {
    this.#isGone = true;
    this.#scale.applyOptions({ scaleMargins: PRICE_MARGINS });
    for (const { series } of this.#shown) for (const one of series) this.#chart.removeSeries(one);
  }

  #add(study: Study, lengths: readonly number[]): Shown {
    const pane = hasOwnPane(study) ? this.#chart.panes().length : 0;
    const precision = study === 'rsi' ? 2 : this.#decimals + (study === 'macd' ? 1 : 0);
    const series = LOOKS[study].map(([, lineStyle], at) => {
      const plain = {
        priceFormat: priceFormatOf(precision),
        lastValueVisible: false,
        priceLineVisible: false,
      } as const;
      if (study === 'macd' && at === 2) return this.#chart.addSeries(HistogramSeries, plain, pane);
      const line = { ...plain, lineWidth: 1, lineStyle, crosshairMarkerVisible: false } as const;
      return this.#chart.addSeries(LineSeries, line, pane);
    });
    if (study === 'boll')
      for (const line of series) line.applyOptions({ autoscaleInfoProvider: this.#withinReach });
    // A new pane takes the mode of the prices' scale, which may be percent.
    if (pane > 0) series[0]?.priceScale().applyOptions({ mode: PriceScaleMode.Normal });
    if (study === 'rsi') {
      series[0]?.applyOptions({
        autoscaleInfoProvider: () => ({ priceRange: RSI_RANGE }),
        // The tags of the two lines are its only labels.
        priceFormat: { ...priceFormatOf(precision), tickmarksFormatter: (at: number[]) => at.map(() => '') },
      });
      for (const price of RSI_BOUNDS)
        series[0]?.createPriceLine({
          price,
          lineWidth: 1,
          lineStyle: LineStyle.Dashed,
          axisLabelVisible: true,
        });
    }
    return { lines: new StudyLines(study, lengths), series };
  }

  /** The range of a line, as far as the scale follows it: of few candles the bands are so wide that they would flatten them. */
  readonly #withinReach = (original: () => AutoscaleInfo | null): AutoscaleInfo | null => {
    const info = original();
    const visible = this.#chart.timeScale().getVisibleLogicalRange();
    if (!info?.priceRange || !visible) return info;
    const seen = this.#candles.slice(Math.max(0, Math.floor(visible.from)), Math.ceil(visible.to) + 1);
    if (seen.length === 0) return info;
    const low = Math.min(...seen.map((candle) => Number(candle.low)));
    const high = Math.max(...seen.map((candle) => Number(candle.high)));
    const stretch = (high - low) * MOST_STRETCH;
    const within = (value: number) => Math.min(high + stretch, Math.max(value, low - stretch, 0));
    const { minValue, maxValue } = info.priceRange;
    return { ...info, priceRange: { minValue: within(minValue), maxValue: within(maxValue) } };
  };

  /** The labels of MACD have a sign and one more decimal than prices. */
  #holdAxis(price: number): void {
    const macd = this.#shown.find(({ lines }) => lines.study === 'macd')?.series[0]?.priceFormatter();
    if (!macd) return;
    const format = (value: number) => macd.format(value);
    holdAxis(this.#chart, this.#box, { value: price * -MACD_SHARE, format });
  }

  #tops(): number[] {
    let top = 0;
    return this.#chart.panes().map((pane) => {
      const at = top;
      top += pane.getHeight() + 1;
      return at;
    });
  }
}

function point(candle: Candle, value: number | null | undefined) {
  const time = (candle.time / 1000) as UTCTimestamp;
  // Without a value the line is interrupted.
  return value === null || value === undefined ? { time } : { time, value };
}
