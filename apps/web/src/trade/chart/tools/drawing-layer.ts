import type { Candle } from '@fairtick/protocol';
import type { ISeriesPrimitiveAxisView, MouseEventParams, UTCTimestamp } from 'lightweight-charts';
import { formatShare } from '../../../state/format.ts';
import type { CandleChart } from '../plot/candle-chart.ts';
import { colours } from '../plot/chart-colours.ts';
import { PaneLayer, type PaneSpace } from '../plot/pane-layer.ts';
import { type DrawingColours, distanceFrom, drawOne, type Level } from './draw.ts';
import { indexAt, movedBy, nearestPrice, type Place, retracements, timeAt } from './drawing-geometry.ts';
import { type Drawing, type DrawingPoint, pointsOf, type Tool } from './drawings.ts';

/** How near a tap or click must be to a drawing, px. */
const NEAR_FINGER = 16;
const NEAR_MOUSE = 7;
/** A tap moves less than this, px, and the library reports it within this time. */
const TAP_PX = 8;
const TAP_MS = 600;
/** Steps of the arrow keys, px up and down. */
const STEP_PX = 4;
const FAR = 10;
const SCROLLS = { mouseWheel: true, pressedMouseMove: true, horzTouchDrag: true, vertTouchDrag: false };

interface DrawingState {
  readonly drawings: readonly Drawing[];
  /** The kind that the next taps draw. */
  readonly tool: Tool | null;
  readonly hasMagnet: boolean;
  readonly selected: number | null;
}

interface DrawingEvents {
  readonly onDrawn: (drawing: Omit<Drawing, 'id'>) => void;
  readonly onPrice: (point: DrawingPoint) => void;
  readonly onChanged: (drawing: Drawing) => void;
  readonly onSelect: (id: number | null) => void;
  /** The keyboard's point, and how many points of the drawing are set. */
  readonly onCursor: (cursor: DrawingPoint | null, set: number) => void;
}

interface Drag {
  readonly drawing: Drawing;
  /** The point that is dragged; null: the whole drawing. */
  readonly at: number | null;
  readonly from: DrawingPoint;
}

export class DrawingLayer extends PaneLayer {
  readonly #periodMs: number;
  readonly #events: DrawingEvents;
  readonly #gone = new AbortController();
  #axis: readonly ISeriesPrimitiveAxisView[] = [];
  #state: DrawingState = { drawings: [], tool: null, hasMagnet: false, selected: null };
  #times: readonly number[] = [];
  #candles: readonly Candle[] = [];
  /** Points of the unfinished drawing, and where its next one would be. */
  #begun: DrawingPoint[] = [];
  #next: DrawingPoint | null = null;
  #drag: Drag | null = null;
  #pressed: Place | null = null;
  #placedMs = Number.NEGATIVE_INFINITY;
  #colours: DrawingColours | null = null;

  constructor(chart: CandleChart, periodMs: number, events: DrawingEvents) {
    super(chart);
    this.#periodMs = periodMs;
    this.#events = events;
    chart.parts.chart.subscribeCrosshairMove(this.#follow);
    const { box } = chart.parts;
    const { signal } = this.#gone;
    for (const [kind, take] of [
      ['pointerdown', this.#grab],
      ['pointermove', this.#pull],
      ['pointerup', this.#drop],
      ['pointercancel', this.#drop],
    ] as const)
      box.addEventListener(kind, take, { capture: true, signal });
    box.addEventListener('touchstart', this.#keepStill, { capture: true, passive: false, signal });
    this.attach();
  }

  override remove(): void {
    super.remove();
    this.chart.parts.chart.unsubscribeCrosshairMove(this.#follow);
    this.#gone.abort();
  }

  priceAxisViews(): readonly ISeriesPrimitiveAxisView[] {
    return this.#axis;
  }

  show(candles: readonly Candle[]): void {
    this.#times = candles.map(({ time }) => time);
    this.#candles = candles;
    this.redraw();
  }

  paint(): void {
    const { box } = this.chart.parts;
    const colour = colours(box);
    const font = getComputedStyle(box).fontFamily;
    this.#colours = { line: colour('--ink-2'), selected: colour('--ink'), ground: colour('--bg'), font };
    this.#label();
    this.redraw();
  }

  set(state: DrawingState): void {
    if (state.tool !== this.#state.tool) {
      this.#begun = [];
      this.#next = null;
    }
    this.#state = state;
    this.#label();
    this.redraw();
  }

  /** Takes a tap or click that chooses a drawing. Taps that draw come by {@link #drop}: the library skips the second of two. */
  take({ point, paneIndex }: MouseEventParams): boolean {
    const { tool, selected } = this.#state;
    if (tool !== null || performance.now() - this.#placedMs < TAP_MS) return true;
    const found = point && paneIndex === 0 ? this.#find(point) : undefined;
    if (found === undefined && selected === null) return false;
    this.#events.onSelect(found?.id ?? null);
    return true;
  }

  /**
   * Takes a key: arrows move the point or the chosen drawing, Enter sets the point.
   * @returns whether the key had an effect
   */
  press(key: string, isFar: boolean): boolean {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    const step = isFar ? FAR : 1;
    if (this.#state.tool === null) {
      const chosen = this.#state.drawings.find(({ id }) => id === this.#state.selected);
      const first = chosen?.points[0];
      if (!by || !chosen || !first) return false;
      const price = this.#priceNear(first.price, (by[1] as number) * step * STEP_PX) - first.price;
      this.#events.onChanged(this.#moved(chosen, { candles: (by[0] as number) * step, price }));
      return true;
    }
    const cursor = this.#next ?? this.#newest();
    if (!cursor) return false;
    if (key === 'Enter') this.#place(cursor);
    else if (by) this.#move(cursor, (by[0] as number) * step, (by[1] as number) * step * STEP_PX);
    return key === 'Enter' || by !== undefined;
  }

  #newest(): DrawingPoint | null {
    const time = this.#times.at(-1);
    return time === undefined ? null : { time, price: Number(this.#candles.at(-1)?.close) };
  }

  /** Moves the keyboard's point, from one candle to another, and the crosshair with it. */
  #move(cursor: DrawingPoint, candles: number, px: number): void {
    const index = Math.round(indexAt(cursor.time, this.#times, this.#periodMs)) + candles;
    const time = this.#times[Math.min(this.#times.length - 1, Math.max(0, index))];
    if (time === undefined) return;
    const price = this.#priceNear(cursor.price, px);
    this.#next = { time, price };
    const { chart, prices } = this.chart.parts;
    chart.setCrosshairPosition(price, (time / 1000) as UTCTimestamp, prices);
    this.#next = { time, price };
    this.#events.onCursor(this.#next, this.#begun.length);
    this.redraw();
  }

  #priceNear(price: number, px: number): number {
    const { prices } = this.chart.parts;
    if (px === 0) return price;
    const y = prices.priceToCoordinate(price);
    return (y === null ? null : prices.coordinateToPrice(y + px)) ?? price;
  }

  #place(point: DrawingPoint): void {
    const { tool } = this.#state;
    if (tool === null) return;
    this.#placedMs = performance.now();
    if (tool === 'priceAlert') {
      this.#events.onPrice(point);
      return;
    }
    const points = [...this.#begun, point];
    if (points.length < pointsOf(tool)) {
      this.#begun = points;
      this.#events.onCursor(point, points.length);
    } else {
      this.#begun = [];
      this.#next = null;
      this.chart.clearPoint();
      this.#events.onDrawn({ kind: tool, points });
    }
    this.redraw();
  }

  #pointAt({ x, y }: Place): DrawingPoint | null {
    const { chart, prices } = this.chart.parts;
    const index = chart.timeScale().coordinateToLogical(x);
    const pointed = prices.coordinateToPrice(y);
    if (index === null || pointed === null || this.#times.length === 0) return null;
    const candle = this.#state.hasMagnet ? this.#candles[index] : undefined;
    const known = candle ? [candle.open, candle.high, candle.low, candle.close].map(Number) : [];
    const price = nearestPrice(known, y, (price) => prices.priceToCoordinate(price)) ?? pointed;
    return { time: timeAt(index, this.#times, this.#periodMs), price };
  }

  #placeOf = ({ time, price }: DrawingPoint): Place | null => {
    if (this.#times.length === 0) return null;
    const x = this.chart.xOf(indexAt(time, this.#times, this.#periodMs));
    const y = this.chart.parts.prices.priceToCoordinate(price);
    return x === null || y === null ? null : { x, y };
  };

  #places(drawing: Pick<Drawing, 'points'>): Place[] {
    return drawing.points.map(this.#placeOf).filter((place) => place !== null);
  }

  #levels({ kind, points }: Pick<Drawing, 'points'> & { kind: Tool }): Level[] {
    if (kind !== 'fib') return [];
    const { prices } = this.chart.parts;
    return retracements(points).flatMap(({ ratio, price }) => {
      const y = prices.priceToCoordinate(price);
      const words = `${formatShare(ratio, 1)}  ${prices.priceFormatter().format(price)}`;
      return y === null ? [] : { y, text: words };
    });
  }

  /** The drawing at a place; among several the chosen one, then the newest. */
  #find(place: Place): Drawing | undefined {
    const near = this.chart.isMouse ? NEAR_MOUSE : NEAR_FINGER;
    const found = this.#state.drawings.filter(
      (one) => distanceFrom(one.kind, this.#places(one), place, this.#levels(one)) <= near,
    );
    return found.find(({ id }) => id === this.#state.selected) ?? found.at(-1);
  }

  #moved(drawing: Drawing, by: { candles: number; price: number }): Drawing {
    const points = drawing.points.map((point) => movedBy(point, by, this.#times, this.#periodMs));
    return { ...drawing, points };
  }

  readonly #follow = ({ point, paneIndex, sourceEvent }: MouseEventParams): void => {
    // Without an event the keyboard moved the crosshair.
    if (this.#state.tool === null || !sourceEvent) return;
    this.#next = point && paneIndex === 0 ? this.#pointAt(point) : null;
    this.redraw();
  };

  readonly #grab = (event: PointerEvent): void => {
    const place = this.#placeIn(event);
    this.#pressed = place;
    if (this.#state.tool !== null || this.#state.selected === null) return;
    const drawing = this.#find(place);
    const from = this.#pointAt(place);
    if (!drawing || drawing.id !== this.#state.selected || !from) return;
    const near = this.chart.isMouse ? NEAR_MOUSE : NEAR_FINGER;
    const at = this.#places(drawing).findIndex(({ x, y }) => Math.hypot(x - place.x, y - place.y) <= near);
    this.#drag = { drawing, from, at: at < 0 ? null : at };
    this.chart.parts.chart.applyOptions({ handleScroll: false, handleScale: false });
    this.chart.parts.box.setPointerCapture(event.pointerId);
  };

  readonly #pull = (event: PointerEvent): void => {
    const to = this.#drag && this.#pointAt(this.#placeIn(event));
    if (!this.#drag || !to) return;
    const { drawing, at, from } = this.#drag;
    const index = (point: DrawingPoint) => indexAt(point.time, this.#times, this.#periodMs);
    const by = { candles: index(to) - index(from), price: to.price - from.price };
    if (at === null) this.#events.onChanged(this.#moved(drawing, by));
    else
      this.#events.onChanged({
        ...drawing,
        points: drawing.points.map((point, place) => (place === at ? to : point)),
      });
  };

  readonly #drop = (event: PointerEvent): void => {
    const pressed = this.#pressed;
    this.#pressed = null;
    const place = this.#placeIn(event);
    const isTap = pressed && Math.hypot(place.x - pressed.x, place.y - pressed.y) < TAP_PX;
    if (this.#state.tool !== null && isTap && event.type === 'pointerup') {
      const point = this.#isOnPrices(place) ? this.#pointAt(place) : null;
      if (point) this.#place(point);
    }
    if (!this.#drag) return;
    this.#drag = null;
    this.chart.parts.chart.applyOptions({ handleScroll: SCROLLS, handleScale: true });
  };

  /** Whether a place is on the pane of the prices, and not on a scale or another pane. */
  #isOnPrices({ x, y }: Place): boolean {
    const { chart } = this.chart.parts;
    return x < chart.timeScale().width() && y < (chart.panes()[0]?.getHeight() ?? 0);
  }

  /** A finger that moves a drawing does not scroll the page. */
  readonly #keepStill = (event: TouchEvent): void => {
    if (this.#drag) event.preventDefault();
  };

  #placeIn(event: PointerEvent): Place {
    const { left, top } = this.chart.parts.box.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  /** Horizontal lines say their price on the scale. */
  #label(): void {
    const { prices } = this.chart.parts;
    const of = this.#colours;
    if (!of) return;
    this.#axis = this.#state.drawings
      .filter(({ kind }) => kind === 'level')
      .map(({ points: [point] }) => ({
        coordinate: () => prices.priceToCoordinate(point?.price ?? 0) ?? -100,
        text: () => prices.priceFormatter().format(point?.price ?? 0),
        textColor: () => of.ground,
        backColor: () => of.line,
      }));
  }

  protected draw({ context, mediaSize }: PaneSpace): void {
    const { tool, selected, drawings } = this.#state;
    const of = this.#colours;
    if (!of) return;
    for (const one of drawings) {
      const isSelected = one.id === selected;
      const levels = this.#levels(one);
      drawOne(context, one.kind, this.#places(one), {
        ...{ width: mediaSize.width, colours: of, isSelected, levels },
      });
    }
    const points = this.#next ? [...this.#begun, this.#next] : this.#begun;
    if (tool !== null && points.length > 0)
      drawOne(context, tool, this.#places({ points }), {
        width: mediaSize.width,
        colours: of,
        isSelected: true,
        levels: this.#levels({ kind: tool, points }),
      });
  }
}
