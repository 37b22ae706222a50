import type { Order } from '@fairtick/protocol';
import { textScale } from '@fairtick/ui/text-scale';
import { fontPx } from '../plot/chart-frame.ts';

/** An opened order as the chart shows it, still open or just settled. Floats are enough for drawing. */
export interface ChartOrder {
  readonly id: string;
  readonly direction: Order['direction'];
  readonly openPrice: number;
  readonly openedAt: number;
  readonly endsAt: number;
  /** The end in words, for the axis of times. */
  readonly end: string;
  /** Stake, and what the order ends with now, or ended with: in full, and what is shown of it where there is less room. */
  readonly labels: readonly [full: string, ...shorter: string[]];
  readonly isChosen: boolean;
}

export interface OrderColours {
  readonly up: string;
  readonly down: string;
  readonly upWash: string;
  readonly downWash: string;
  readonly end: string;
  readonly endFill: string;
  readonly endInk: string;
  readonly ink: string;
  readonly settled: string;
  readonly ground: string;
  readonly font: string;
}

/** Where an order is on the pane, px: its opening line from opening to end, and its label, if there is room for it. */
export interface OrderPlace {
  readonly order: ChartOrder;
  readonly from: number;
  readonly to: number;
  readonly y: number;
  readonly label: {
    readonly text: string;
    readonly x: number;
    readonly y: number;
    readonly width: number;
  } | null;
}

/** Height of a label, px. */
export const labelHeight = (): number => 20 * textScale();
const PADDING = 6;
const ARROW = 12;

export function widthOfLabel(context: CanvasRenderingContext2D, text: string, font: string): number {
  context.font = `${fontPx()}px ${font}`;
  return Math.ceil(context.measureText(text).width) + ARROW + 2 * PADDING;
}

export function drawOrder(
  context: CanvasRenderingContext2D,
  place: OrderPlace,
  options: {
    readonly part: 'lines' | 'label';
    readonly colours: OrderColours;
    readonly bounds: { readonly width: number; readonly height: number };
  },
): void {
  if (options.part === 'lines') drawLines(context, place, options);
  else drawLabel(context, place, options.colours);
  context.setLineDash([]);
}

function drawLines(
  context: CanvasRenderingContext2D,
  { order, from, to, y }: OrderPlace,
  {
    colours,
    bounds,
  }: { readonly colours: OrderColours; readonly bounds: { readonly width: number; readonly height: number } },
): void {
  const line = (dash: readonly number[], [x0, y0]: readonly [number, number], x1: number, y1: number) => {
    context.setLineDash([...dash]);
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
  };
  context.lineWidth = order.isChosen ? 2 : 1;
  context.strokeStyle = colours.end;
  line(order.isChosen ? [] : [3, 3], [to, 0], to, bounds.height);
  context.strokeStyle = order.direction === 'up' ? colours.up : colours.down;
  // Thin across the pane, so that the price is compared with it anywhere; strong while the order lasts.
  context.lineWidth = 1;
  line([1, 4], [0, y], bounds.width, y);
  context.lineWidth = order.isChosen ? 2 : 1.5;
  line([6, 4], [from, y], to, y);
}

function drawLabel(
  context: CanvasRenderingContext2D,
  { order, label }: OrderPlace,
  colours: OrderColours,
): void {
  if (label === null) return;
  const tone = order.direction === 'up' ? colours.up : colours.down;
  const height = labelHeight();
  const top = label.y - height / 2;
  context.beginPath();
  context.rect(label.x, top, label.width, height);
  context.fillStyle = colours.ground;
  context.fill();
  context.strokeStyle = tone;
  context.lineWidth = order.isChosen ? 2 : 1;
  context.stroke();
  const left = label.x + PADDING;
  const way = order.direction === 'up' ? -1 : 1;
  context.beginPath();
  context.moveTo(left, label.y - 3 * way);
  context.lineTo(left + 8, label.y - 3 * way);
  context.lineTo(left + 4, label.y + 3 * way);
  context.fillStyle = tone;
  context.fill();
  context.font = `${fontPx()}px ${colours.font}`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.fillStyle = colours.ink;
  context.fillText(label.text, left + ARROW, label.y + 0.5);
}
