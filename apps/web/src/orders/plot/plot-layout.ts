import type { TickPoint } from '@fairtick/protocol';

/** The least range of prices that fills the height, as a share of the price: a smaller move is drawn as small as it is. */
const LEAST_RANGE = 0.0002;
/** Room above the highest and below the lowest price, as a share of the height. */
const MARGIN = 0.14;

interface PlottedOrder {
  readonly id: string;
  readonly openPrice: string;
  readonly openedAt: number;
  readonly endsAt: number;
}

/** Positions in hundredths of the plot's width and height, from its left and top. */
export interface PlotLayout {
  readonly line: string;
  readonly last: { readonly x: number; readonly y: number };
  /** In the order of `orders`; `to` is null where the end is beyond the right edge. */
  readonly orders: readonly { readonly from: number; readonly to: number | null; readonly y: number }[];
}

/** Where prices and orders lie in a stretch of time; null without two prices in it. Prices become floats only here, for drawing. */
export function layOut(
  points: readonly TickPoint[],
  {
    orders,
    fromMs,
    toMs,
  }: { orders: readonly PlottedOrder[]; readonly fromMs: number; readonly toMs: number },
): PlotLayout | null {
  const shown = points.filter(({ time }) => time >= fromMs && time <= toMs);
  const last = shown.at(-1);
  if (shown.length < 2 || last === undefined) return null;
  const prices = [...shown.map(({ price }) => price), ...orders.map(({ openPrice }) => openPrice)].map(
    Number,
  );
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const range = Math.max(high - low, high * LEAST_RANGE) / (1 - 2 * MARGIN);
  const x = (ms: number) => rounded((100 * (ms - fromMs)) / Math.max(1, toMs - fromMs));
  const y = (price: string) => rounded(50 - (100 * (Number(price) - (low + high) / 2)) / range);
  return {
    line: shown.map(({ time, price }) => `${x(time)},${y(price)}`).join(' '),
    last: { x: x(last.time), y: y(last.price) },
    orders: orders.map(({ openPrice, openedAt, endsAt }) => ({
      from: Math.max(0, x(openedAt)),
      to: endsAt > toMs ? null : x(endsAt),
      y: y(openPrice),
    })),
  };
}

const rounded = (share: number): number => Math.round(share * 100) / 100;
