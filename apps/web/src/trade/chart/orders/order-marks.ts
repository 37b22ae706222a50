import type { Order } from '@fairtick/protocol';

interface OrderMark {
  readonly kind: 'up' | 'down' | 'settled';
  readonly isAbove: boolean;
  readonly index: number;
  readonly count: number;
}

/**
 * The marks of openings and settlements. A settlement stands on the other side of its candle than the arrow of its opening, which is
 * often a candle away. Events of one side within `room` candles share a candle, where those of different kinds are stacked.
 * @param indexOf the candle of a moment; null before the first one
 */
export function orderMarks(
  orders: readonly Order[],
  room: number,
  indexOf: (ms: number) => number | null,
): OrderMark[] {
  const events = orders.flatMap(({ direction, openedAt, settleTickAt }) => [
    { kind: direction, isAbove: direction === 'down', ms: openedAt },
    { kind: 'settled' as const, isAbove: direction === 'up', ms: settleTickAt },
  ]);
  const placed = events
    .flatMap(({ ms, ...event }) => {
      const index = ms === null ? null : indexOf(ms);
      return index === null ? [] : [{ ...event, index }];
    })
    .sort((a, b) => a.index - b.index);
  const marks = new Map<string, OrderMark>();
  const anchors = { above: Number.NEGATIVE_INFINITY, below: Number.NEGATIVE_INFINITY };
  for (const { kind, isAbove, index } of placed) {
    const side = isAbove ? 'above' : 'below';
    if (index - anchors[side] >= room) anchors[side] = index;
    const at = anchors[side];
    const key = `${kind} ${side} ${at}`;
    marks.set(key, { kind, isAbove, index: at, count: (marks.get(key)?.count ?? 0) + 1 });
  }
  return [...marks.values()].sort((a, b) => a.index - b.index);
}
