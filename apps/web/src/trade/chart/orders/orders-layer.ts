import type { Candle, Order } from '@fairtick/protocol';
import { textScale } from '@fairtick/ui/text-scale';
import {
  type AutoscaleInfo,
  createSeriesMarkers,
  type IPriceLine,
  type ISeriesMarkersPluginApi,
  type ISeriesPrimitiveAxisView,
  type Logical,
  type MouseEventParams,
  type Time,
} from 'lightweight-charts';
import { labelPlaces } from '../../../orders/plot/label-places.ts';
import type { CandleChart } from '../plot/candle-chart.ts';
import { seconds } from '../plot/chart-bars.ts';
import { colours } from '../plot/chart-colours.ts';
import { PaneLayer, type PaneSpace } from '../plot/pane-layer.ts';
import { indexAt } from '../tools/drawing-geometry.ts';
import {
  type ChartOrder,
  drawOrder,
  labelHeight,
  type OrderColours,
  type OrderPlace,
  widthOfLabel,
} from './draw-order.ts';
import { orderMarks } from './order-marks.ts';

/** Heights above the first label, where the legend is, and between two labels, px. */
const LEGEND = 30;
const LABEL_GAP = 3;
/** Between a label and the edge, or the newest candle, px. */
const EDGE_GAP = 4;
/** Size of an arrow, that of a settlement's circle in comparison, and the least distance of marks with their texts, px. */
const MARK_PX = 12;
const SETTLED_SIZE = 0.7;
const MARK_ROOM = 30;

export class OrdersLayer extends PaneLayer {
  readonly #onPick: (id: string) => void;
  readonly #marks: ISeriesMarkersPluginApi<Time>;
  #ends: readonly ISeriesPrimitiveAxisView[] = [];
  #lines: IPriceLine[] = [];
  #times: readonly number[] = [];
  #markedSpacing = 0;
  #orders: readonly ChartOrder[] = [];
  #known: readonly Order[] = [];
  #settledWord = '';
  #colours: OrderColours | null = null;
  #places: readonly OrderPlace[] = [];

  constructor(chart: CandleChart, onPick: (id: string) => void) {
    super(chart);
    this.#onPick = onPick;
    this.#marks = createSeriesMarkers(chart.parts.prices, []);
    chart.parts.chart.timeScale().subscribeVisibleLogicalRangeChange(this.#onZoom);
    this.attach();
  }

  override remove(): void {
    const { prices } = this.chart.parts;
    this.chart.keepUntil(0);
    this.chart.parts.chart.timeScale().unsubscribeVisibleLogicalRangeChange(this.#onZoom);
    this.#marks.detach();
    super.remove();
    for (const line of this.#lines) prices.removePriceLine(line);
  }

  timeAxisViews(): readonly ISeriesPrimitiveAxisView[] {
    return this.#ends;
  }

  /** An opening line stays in sight while a part of its order's time is. */
  autoscaleInfo(from: Logical, to: Logical): AutoscaleInfo | null {
    const prices = this.#orders
      .filter(({ openedAt, endsAt }) => this.#indexOf(openedAt) <= to && this.#indexOf(endsAt) >= from)
      .map(({ openPrice }) => openPrice);
    if (prices.length === 0) return null;
    return { priceRange: { minValue: Math.min(...prices), maxValue: Math.max(...prices) } };
  }

  show(candles: readonly Candle[], isNext: boolean | null): void {
    const had = this.#times.length;
    this.#times = candles.map(({ time }) => time);
    // A mark may belong to the new candle.
    if (isNext !== false) this.#mark();
    if (had === 0) this.chart.keepUntil(latestEnd(this.#orders));
    this.redraw();
  }

  paint(): void {
    const colour = colours(this.chart.parts.box);
    this.#colours = {
      up: colour('--up'),
      down: colour('--down'),
      upWash: colour('--up-wash'),
      downWash: colour('--down-wash'),
      end: colour('--gold-mark'),
      endFill: colour('--gold-fill'),
      endInk: colour('--gold-ink'),
      ink: colour('--ink'),
      settled: colour('--ink-2'),
      ground: colour('--bg'),
      font: getComputedStyle(this.chart.parts.box).fontFamily,
    };
    this.#mark();
    this.#label();
    this.redraw();
  }

  /**
   * @param orders under way or just settled, the next to settle first
   * @param known all whose openings and settlements get marks
   */
  set(orders: readonly ChartOrder[], known: readonly Order[], settledWord: string): void {
    const isOther = keyOf(orders) !== keyOf(this.#orders);
    this.#orders = orders;
    this.#settledWord = settledWord;
    if (known !== this.#known) {
      this.#known = known;
      this.#mark();
    }
    if (isOther) {
      this.chart.keepUntil(latestEnd(this.#orders));
      this.#label();
    }
    this.redraw();
  }

  /** A tap on a label picks its order. */
  take({ point, paneIndex }: MouseEventParams): boolean {
    if (!point || paneIndex !== 0) return false;
    const hit = this.#places.find(
      ({ label }) =>
        label !== null &&
        point.x >= label.x &&
        point.x <= label.x + label.width &&
        Math.abs(point.y - label.y) <= labelHeight() / 2 + LABEL_GAP,
    );
    if (hit) this.#onPick(hit.order.id);
    return hit !== undefined;
  }

  /** Where a moment lies among the candles; a candle's time goes from its left edge to its right one. */
  #indexOf(ms: number): number {
    return this.#times.length === 0 ? -1 : indexAt(ms, this.#times, this.chart.periodMs) - 0.5;
  }

  /** The tags of opening prices, and of the chosen order's end. */
  #label(): void {
    const of = this.#colours;
    if (!of) return;
    const { prices } = this.chart.parts;
    const wanted = this.#orders.map(({ direction, openPrice }) => ({
      price: openPrice,
      lineVisible: false,
      axisLabelVisible: true,
      axisLabelColor: direction === 'up' ? of.upWash : of.downWash,
      axisLabelTextColor: direction === 'up' ? of.up : of.down,
    }));
    for (const line of this.#lines.splice(wanted.length)) prices.removePriceLine(line);
    for (const [at, options] of wanted.entries()) {
      const line = this.#lines[at];
      if (line) line.applyOptions(options);
      else this.#lines.push(prices.createPriceLine(options));
    }
    this.#ends = this.#orders
      .filter(({ isChosen }) => isChosen)
      .map(({ end, endsAt }) => ({
        coordinate: () => this.chart.xOf(this.#indexOf(endsAt)) ?? -100,
        text: () => end,
        textColor: () => of.endInk,
        backColor: () => of.endFill,
      }));
    this.chart.tagsMoved();
  }

  #mark(): void {
    const of = this.#colours;
    const first = this.#times[0];
    if (!of || first === undefined) return;
    const { barSpacing } = this.chart.parts.chart.timeScale().options();
    this.#markedSpacing = barSpacing;
    const indexOf = (ms: number) => (ms < first ? null : this.#candleOf(ms));
    // The library's marks grow with the candles.
    const size = Math.min(1, MARK_PX / barSpacing);
    this.#marks.setMarkers(
      orderMarks(this.#known, (MARK_ROOM * textScale()) / barSpacing, indexOf).map(
        ({ kind, isAbove, index, count }) => ({
          time: seconds(this.#times[index] ?? first),
          position: isAbove ? 'aboveBar' : 'belowBar',
          shape: kind === 'settled' ? 'circle' : kind === 'up' ? 'arrowUp' : 'arrowDown',
          color: of[kind],
          size: kind === 'settled' ? SETTLED_SIZE * size : size,
          text: [kind === 'settled' && this.#settledWord, count > 1 && `×${count}`].filter(Boolean).join(' '),
        }),
      ),
    );
  }

  readonly #onZoom = (): void => {
    const { barSpacing } = this.chart.parts.chart.timeScale().options();
    if (barSpacing !== this.#markedSpacing) this.#mark();
  };

  #candleOf(ms: number): number {
    const index = Math.floor(indexAt(ms, this.#times, this.chart.periodMs));
    return Math.min(index, this.#times.length - 1);
  }

  protected draw({ context, mediaSize }: PaneSpace): void {
    const of = this.#colours;
    if (!of) return;
    this.#places = this.#placesIn(context, mediaSize, of);
    // The chosen order's lines lie over the others, and labels over lines.
    const sorted = [...this.#places].sort((a, b) => Number(a.order.isChosen) - Number(b.order.isChosen));
    for (const part of ['lines', 'label'] as const)
      for (const place of sorted) drawOrder(context, place, { part, colours: of, bounds: mediaSize });
  }

  #placesIn(
    context: CanvasRenderingContext2D,
    bounds: PaneSpace['mediaSize'],
    of: OrderColours,
  ): OrderPlace[] {
    const { prices } = this.chart.parts;
    const x = (ms: number) => this.chart.xOf(this.#indexOf(ms));
    const lines = this.#orders.flatMap((order) => {
      const [from, to, y] = [x(order.openedAt), x(order.endsAt), prices.priceToCoordinate(order.openPrice)];
      return from === null || to === null || y === null ? [] : [{ order, from, to, y }];
    });
    // If the column has no room for all labels, the chosen order has one.
    lines.sort((a, b) => Number(b.order.isChosen) - Number(a.order.isChosen));
    const height = labelHeight();
    const half = height / 2;
    const heights = labelPlaces(
      lines.map(({ y }) => y),
      {
        first: LEGEND * textScale() + half,
        last: bounds.height - half - LABEL_GAP,
        distance: height + LABEL_GAP,
      },
    );
    const newest = this.chart.xOf(this.#times.length - 0.5) ?? bounds.width;
    return lines.map((line, at) => {
      const y = heights[at] ?? null;
      if (y === null) return { ...line, label: null };
      const atEdge = (text: string) => {
        const width = widthOfLabel(context, text, of.font);
        return { text, y, width, x: bounds.width - width - EDGE_GAP };
      };
      // In the time to come a label covers no candle.
      const places = line.order.labels.map(atEdge);
      const free = places.find(({ x }) => x >= newest + EDGE_GAP);
      // The longest that the pane holds.
      const full = places.find(({ x }) => x >= EDGE_GAP) ?? atEdge(line.order.labels.at(-1) ?? '');
      const before = Math.min(line.from - full.width - 2 * EDGE_GAP, full.x);
      return { ...line, label: free ?? { ...full, x: Math.max(EDGE_GAP, before) } };
    });
  }
}

const latestEnd = (orders: readonly ChartOrder[]): number =>
  Math.max(0, ...orders.map(({ endsAt }) => endsAt));
const keyOf = (orders: readonly ChartOrder[]): string =>
  orders.map(({ id, isChosen }) => `${id} ${isChosen}`).join();
