import type { Order } from '@fairtick/protocol';
import {
  createChart,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineSeries,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { formatTime } from '../../state/format.ts';
import { AxisLabels } from '../chart/plot/axis-labels.ts';
import { priceFormatOf } from '../chart/plot/chart-bars.ts';
import { colours } from '../chart/plot/chart-colours.ts';
import {
  FRAME_OPTIONS,
  holdAxis,
  openingLine,
  PRICE_SCALE_OPTIONS,
  paintFrame,
} from '../chart/plot/chart-frame.ts';
import type { OrderSlots } from './order-slots.ts';

/** The library's axis counts whole seconds: a slot is one of them, and the labels say its real time. */
const slotTime = (slot: number): UTCTimestamp => slot as UTCTimestamp;

/** The ticks of one order: a line, the opening price across it, its end as an upright line, and room on the right. */
export class OrderChart {
  readonly #box: HTMLElement;
  readonly #chart: IChartApi;
  readonly #line: ISeriesApi<'Line'>;
  readonly #end: ISeriesApi<'Histogram'>;
  readonly #labels: AxisLabels;
  #opening: IPriceLine | null = null;
  #slots: OrderSlots | null = null;
  #theme = '';

  constructor(
    box: HTMLElement,
    { decimals, tag, openPrice }: { decimals: number; tag: string; openPrice: string },
  ) {
    this.#box = box;
    const labelOf = (time: Time) => (this.#slots ? formatTime(this.#slots.timeOf(Number(time)), tag) : '');
    // The room before the opening and after the end is too narrow for a whole label.
    const markOf = (time: Time) => {
      const { openSlot, endSlot } = this.#slots ?? { openSlot: 0, endSlot: 0 };
      return Number(time) < openSlot || Number(time) > endSlot ? '' : labelOf(time);
    };
    this.#chart = createChart(box, {
      ...FRAME_OPTIONS,
      handleScroll: false,
      handleScale: false,
      localization: { locale: tag, timeFormatter: labelOf },
      timeScale: { borderVisible: false, fixLeftEdge: true, tickMarkFormatter: markOf },
      rightPriceScale: { ...PRICE_SCALE_OPTIONS, scaleMargins: { top: 0.12, bottom: 0.12 } },
    });
    holdAxis(this.#chart, box, { value: Number(openPrice), format: priceFormatOf(decimals).formatter });
    this.#line = this.#chart.addSeries(LineSeries, { lineWidth: 2, priceLineVisible: false });
    this.#labels = new AxisLabels(this.#line, decimals);
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
    paintFrame(this.#chart, this.#box, colour);
    this.#line.applyOptions({ color: colour('--ink-2') });
    this.#end.applyOptions({ color: colour('--gold-mark') });
  }

  show(slots: OrderSlots, opening: Pick<Order, 'direction' | 'openPrice'>): void {
    const isFirst = this.#slots === null;
    this.#slots = slots;
    this.#line.setData(
      slots.prices.map((value, slot) =>
        value === null ? { time: slotTime(slot) } : { time: slotTime(slot), value },
      ),
    );
    this.#end.setData([{ time: slotTime(slots.endSlot), value: 1 }]);
    const line = openingLine(opening, colours(this.#box));
    if (this.#opening) this.#opening.applyOptions(line);
    else this.#opening = this.#line.createPriceLine(line);
    this.#labels.update(slots.prices.filter((price) => price !== null).at(-1) ?? null);
    if (isFirst) this.#chart.timeScale().setVisibleLogicalRange({ from: 0, to: slots.prices.length - 1 });
  }
}
