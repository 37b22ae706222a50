import type { Order } from '@fairtick/protocol';
import {
  ColorType,
  createChart,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineSeries,
  LineStyle,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { formatPrice, formatTime } from '../../state/format.ts';
import { colours } from '../chart/chart-colours.ts';
import type { OrderSlots } from './order-slots.ts';

/** The library's axis counts whole seconds: a slot is one of them, and the labels say its real time. */
const slotTime = (slot: number): UTCTimestamp => slot as UTCTimestamp;

/** The ticks of one order: a line, the opening price across it, its end as an upright line, and room on the right. */
export class OrderChart {
  readonly #box: HTMLElement;
  readonly #chart: IChartApi;
  readonly #line: ISeriesApi<'Line'>;
  readonly #end: ISeriesApi<'Histogram'>;
  #opening: IPriceLine | null = null;
  #slots: OrderSlots | null = null;
  #theme = '';

  constructor(box: HTMLElement, { decimals, tag }: { decimals: number; tag: string }) {
    this.#box = box;
    const labelOf = (time: Time) => (this.#slots ? formatTime(this.#slots.timeOf(Number(time)), tag) : '');
    this.#chart = createChart(box, {
      autoSize: true,
      layout: { attributionLogo: false },
      handleScroll: false,
      handleScale: false,
      localization: {
        locale: tag,
        priceFormatter: (price: number) => formatPrice(price.toFixed(decimals)),
        timeFormatter: labelOf,
      },
      timeScale: { borderVisible: false, fixLeftEdge: true, tickMarkFormatter: labelOf },
      rightPriceScale: {
        borderVisible: false,
        entireTextOnly: true,
        scaleMargins: { top: 0.12, bottom: 0.12 },
      },
    });
    const priceFormat = { type: 'price', precision: decimals, minMove: 10 ** -decimals } as const;
    this.#line = this.#chart.addSeries(LineSeries, { priceFormat, lineWidth: 2, priceLineVisible: false });
    this.#end = this.#chart.addSeries(HistogramSeries, {
      priceScaleId: 'end',
      lastValueVisible: false,
      priceLineVisible: false,
      autoscaleInfoProvider: () => ({ priceRange: { minValue: 0, maxValue: 1 } }),
    });
    this.#end.priceScale().applyOptions({ scaleMargins: { top: 0, bottom: 0 } });
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
        background: { type: ColorType.Solid, color: 'transparent' },
        textColor: colour('--ink-3'),
        fontFamily: getComputedStyle(this.#box).fontFamily,
        fontSize: 11,
      },
      grid: { vertLines: { visible: false }, horzLines: { color: colour('--line') } },
      crosshair: {
        vertLine: { color: colour('--edge'), labelBackgroundColor: colour('--s3') },
        horzLine: { color: colour('--edge'), labelBackgroundColor: colour('--s3') },
      },
    });
    this.#line.applyOptions({ color: colour('--ink-2') });
    this.#end.applyOptions({ color: colour('--gold-mark') });
  }

  show(slots: OrderSlots, opening: { price: string; direction: Order['direction'] }): void {
    const isFirst = this.#slots === null;
    this.#slots = slots;
    this.#line.setData(
      slots.prices.map((value, slot) =>
        value === null ? { time: slotTime(slot) } : { time: slotTime(slot), value },
      ),
    );
    this.#end.setData([{ time: slotTime(slots.endSlot), value: 1 }]);
    const colour = colours(this.#box);
    const tone = opening.direction === 'up' ? '--up' : '--down';
    const line = {
      price: Number(opening.price),
      color: colour(tone),
      lineWidth: 1,
      lineStyle: LineStyle.Dashed,
      axisLabelVisible: true,
      axisLabelColor: colour(`${tone}-wash`),
      axisLabelTextColor: colour(tone),
    } as const;
    if (this.#opening) this.#opening.applyOptions(line);
    else this.#opening = this.#line.createPriceLine(line);
    if (isFirst) this.#chart.timeScale().setVisibleLogicalRange({ from: 0, to: slots.prices.length - 1 });
  }
}
