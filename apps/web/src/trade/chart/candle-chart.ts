import type { Candle, Order, Period } from '@fairtick/protocol';
import {
  type CandlestickData,
  CandlestickSeries,
  type CreatePriceLineOptions,
  createChart,
  createSeriesMarkers,
  type HistogramData,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  LineStyle,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { formatPrice } from '../../state/format.ts';
import { candleTime, tickMark } from './chart-times.ts';

/** Floats are enough for drawing: prices become numbers in the chart only. */
interface ChartOptions {
  readonly decimals: number;
  readonly period: Period;
  readonly tag: string;
  readonly onLeftEdge: () => void;
}

/** This spacing fits a phone's width well. */
const BAR_SPACING = 7.6;
/** Share of the height that volume takes at the bottom, and where prices end above it. */
const VOLUME_SHARE = 0.12;
const PRICES_END = 0.2;
const PERIOD_MS: Readonly<Record<Period, number>> = {
  '1m': 60_000,
  '5m': 300_000,
  '30m': 1_800_000,
  '1d': 86_400_000,
  '1w': 604_800_000,
  '1M': 2_592_000_000,
};

const seconds = (ms: number): UTCTimestamp => (ms / 1000) as UTCTimestamp;

/** Wraps the library that draws the price chart, with the app's colours. Rising candles are hollow, falling ones filled. */
export class CandleChart {
  readonly #box: HTMLElement;
  readonly #options: ChartOptions;
  readonly #chart: IChartApi;
  readonly #prices: ISeriesApi<'Candlestick'>;
  readonly #volume: ISeriesApi<'Histogram'>;
  readonly #marks: ISeriesMarkersPluginApi<Time>;
  #lastLine: IPriceLine | null = null;
  #orderLines: IPriceLine[] = [];
  #shown: readonly Candle[] = [];
  #orders: readonly Order[] = [];
  #settledWord = '';
  #theme = '';

  constructor(box: HTMLElement, options: ChartOptions) {
    this.#box = box;
    this.#options = options;
    this.#chart = createChart(box, {
      autoSize: true,
      // Off from the start: screen readers can't reach a link inside an image, and it would flash until the first paint.
      layout: { attributionLogo: false },
      localization: {
        locale: options.tag,
        priceFormatter: (price: number) => formatPrice(price.toFixed(options.decimals)),
        timeFormatter: (time: Time) => candleTime(Number(time) * 1000, options.period, options.tag),
      },
      timeScale: {
        borderVisible: false,
        timeVisible: true,
        secondsVisible: false,
        rightOffset: 1,
        barSpacing: BAR_SPACING,
        minBarSpacing: 2,
        tickMarkFormatter: (time: Time, kind: number) =>
          tickMark(Number(time) * 1000, kind, options.period, options.tag),
      },
      rightPriceScale: {
        borderVisible: false,
        entireTextOnly: true,
        scaleMargins: { top: 0.08, bottom: PRICES_END },
      },
      handleScroll: { vertTouchDrag: false },
    });
    const priceFormat = {
      type: 'price',
      precision: options.decimals,
      minMove: 10 ** -options.decimals,
    } as const;
    this.#prices = this.#chart.addSeries(CandlestickSeries, {
      priceFormat,
      lastValueVisible: false,
      priceLineVisible: false,
    });
    this.#volume = this.#chart.addSeries(HistogramSeries, {
      priceScaleId: 'volume',
      priceFormat: { type: 'volume' },
      lastValueVisible: false,
      priceLineVisible: false,
    });
    this.#volume.priceScale().applyOptions({ scaleMargins: { top: 1 - VOLUME_SHARE, bottom: 0 } });
    this.#marks = createSeriesMarkers(this.#prices, []);
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (range && range.from < 10) options.onLeftEdge();
    });
  }

  remove(): void {
    this.#chart.remove();
  }

  /** Applies the page's current colours, if the theme has changed. */
  paint(theme: string): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    const colour = colours(this.#box);
    this.#chart.applyOptions({
      layout: {
        background: { color: 'transparent' },
        textColor: colour('--ink-3'),
        fontFamily: getComputedStyle(this.#box).fontFamily,
        fontSize: 11,
      },
      grid: { vertLines: { visible: false }, horzLines: { color: colour('--grid') } },
      crosshair: {
        vertLine: { color: colour('--edge'), labelBackgroundColor: colour('--s3') },
        horzLine: { color: colour('--edge'), labelBackgroundColor: colour('--s3') },
      },
    });
    const [up, down] = [colour('--up'), colour('--down')];
    this.#prices.applyOptions({
      upColor: 'transparent',
      borderVisible: true,
      borderUpColor: up,
      wickUpColor: up,
      downColor: down,
      borderDownColor: down,
      wickDownColor: down,
    });
    this.#drawVolume();
    this.#drawLast();
    this.#drawMarks();
  }

  /** Shows these candles. If they only continue the last ones, updates the last candle without redrawing the rest. */
  show(candles: readonly Candle[]): void {
    const before = this.#shown;
    this.#shown = candles;
    const last = candles.at(-1);
    if (!last) return;
    // Candles before the last may differ, too, after the stream was down.
    const isContinued =
      before.length > 0 &&
      before[0]?.time === candles[0]?.time &&
      candles.at(-2) === before[candles.length - 2] &&
      candles.length - before.length <= 1 &&
      candles.length >= before.length;
    const isLonger = candles.length !== before.length;
    if (isContinued) {
      this.#prices.update(bar(last));
      this.#volume.update(this.#volumeBar(last));
    } else {
      this.#prices.setData(candles.map(bar));
      this.#drawVolume();
      if (before.length === 0) this.#chart.timeScale().scrollToRealTime();
    }
    this.#drawLast();
    // A mark may belong to the new candle.
    if (isLonger) this.#drawMarks();
  }

  /** Marks the reader's own openings and settlements, and the opening prices of open orders. */
  mark(orders: readonly Order[], settledWord: string): void {
    this.#orders = orders;
    this.#settledWord = settledWord;
    this.#drawMarks();
  }

  #drawMarks(): void {
    const orders = this.#orders;
    const colour = colours(this.#box);
    const first = this.#shown[0]?.time ?? Number.POSITIVE_INFINITY;
    const times = { up: new Map<number, number>(), down: new Map<number, number>(), settled: new Map() };
    const count = (kind: keyof typeof times, ms: number | null) => {
      if (ms === null || ms < first) return;
      const candle = this.#candleOf(ms);
      times[kind].set(candle, (times[kind].get(candle) ?? 0) + 1);
    };
    for (const order of orders) {
      count(order.direction, order.openedAt);
      count('settled', order.settleTickAt);
    }
    const marks = [
      ...marksOf(times.up, { position: 'belowBar', shape: 'arrowUp', color: colour('--up'), size: 1 }),
      ...marksOf(times.down, { position: 'aboveBar', shape: 'arrowDown', color: colour('--down'), size: 1 }),
      ...marksOf(times.settled, {
        position: 'aboveBar',
        shape: 'circle',
        color: colour('--ink-2'),
        size: 0.7,
        text: this.#settledWord,
      }),
    ];
    this.#marks.setMarkers(marks.sort((a, b) => Number(a.time) - Number(b.time)));
    for (const line of this.#orderLines) this.#prices.removePriceLine(line);
    this.#orderLines = orders
      .filter((order) => order.status === 'unsettled' && order.openPrice !== null)
      .map((order) => this.#prices.createPriceLine(openingLine(order, colour)));
  }

  #candleOf(ms: number): number {
    const known = this.#shown.findLast((candle) => candle.time <= ms);
    return known?.time ?? ms - (ms % PERIOD_MS[this.#options.period]);
  }

  #drawVolume(): void {
    if (this.#shown.length > 0) this.#volume.setData(this.#shown.map((candle) => this.#volumeBar(candle)));
  }

  #volumeBar(candle: Candle): HistogramData<UTCTimestamp> {
    const colour = colours(this.#box);
    const isUp = Number(candle.close) >= Number(candle.open);
    return {
      time: seconds(candle.time),
      value: Number(candle.volume),
      color: `${colour(isUp ? '--up' : '--down')}48`,
    };
  }

  #drawLast(): void {
    const last = this.#shown.at(-1);
    if (!last) return;
    const colour = colours(this.#box);
    const options: CreatePriceLineOptions = {
      price: Number(last.close),
      color: colour('--gold-mark'),
      lineWidth: 1,
      lineStyle: LineStyle.Dotted,
      axisLabelVisible: true,
      axisLabelColor: colour('--gold-fill'),
      axisLabelTextColor: colour('--gold-ink'),
    };
    if (this.#lastLine) this.#lastLine.applyOptions(options);
    else this.#lastLine = this.#prices.createPriceLine(options);
  }
}

type Mark = Omit<SeriesMarker<Time> & { position: 'aboveBar' | 'belowBar' }, 'time'>;

/** One mark for all events of a candle, with their number if there are several. */
function marksOf(counts: ReadonlyMap<number, number>, mark: Mark): SeriesMarker<Time>[] {
  return [...counts].map(([ms, count]) => ({
    ...mark,
    time: seconds(ms),
    text: [mark.text, count > 1 ? `×${count}` : ''].filter(Boolean).join(' '),
  }));
}

function bar(candle: Candle): CandlestickData<UTCTimestamp> {
  return {
    time: seconds(candle.time),
    open: Number(candle.open),
    high: Number(candle.high),
    low: Number(candle.low),
    close: Number(candle.close),
  };
}

function openingLine(order: Order, colour: (name: string) => string): CreatePriceLineOptions {
  const tone = order.direction === 'up' ? '--up' : '--down';
  return {
    price: Number(order.openPrice),
    color: colour(tone),
    lineWidth: 1,
    lineStyle: LineStyle.Dashed,
    axisLabelVisible: true,
    axisLabelColor: colour(`${tone}-wash`),
    axisLabelTextColor: colour(tone),
  };
}

/**
 * Reads CSS custom properties as the element computes them; the browser resolves references between them. Names of system colours,
 * as forced colours have them, become `#rrggbb`.
 */
function colours(element: HTMLElement): (name: string) => string {
  const styles = getComputedStyle(element);
  const context = document.createElement('canvas').getContext('2d');
  return (name) => {
    const value = styles.getPropertyValue(name).trim();
    if (!context || !/^[A-Z]/.test(value)) return value;
    const probe = element.appendChild(document.createElement('i'));
    probe.style.cssText = `display: none; forced-color-adjust: none; color: ${value}`;
    context.fillStyle = getComputedStyle(probe).color;
    probe.remove();
    return context.fillStyle;
  };
}
