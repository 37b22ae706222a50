import type { TickPoint } from '@fairtick/protocol';

/** The server answers the last price of each of this many parts of a stretch of time. */
const PARTS = 240;
/** Room on the right of the end, and on the left of the opening, as shares of the order's length. */
const ROOM = 0.12;
const LEAD = 0.1;

/** A time axis of equal parts. A slot has the last price of its part; a price lasts until the next one. */
export interface OrderSlots {
  /** From the first slot on; null: no price yet, or not any more. */
  readonly prices: readonly (number | null)[];
  readonly openSlot: number;
  readonly endSlot: number;
  /** Unix ms at which a slot begins. */
  readonly timeOf: (slot: number) => number;
}

/** @param points ascending in time; prices become floats only here, for drawing */
export function slotsOf(
  points: readonly TickPoint[],
  { openedAt, settlesAt }: { openedAt: number; settlesAt: number },
): OrderSlots {
  const partMs = Math.max(1, (settlesAt - openedAt) / PARTS);
  const openSlot = Math.round(PARTS * LEAD);
  const endSlot = openSlot + PARTS;
  const prices: (number | null)[] = Array.from(
    { length: endSlot + Math.round(PARTS * ROOM) + 1 },
    () => null,
  );
  const slotOf = (time: number) => openSlot + Math.floor((time - openedAt) / partMs);
  let last = -1;
  for (const { time, price } of points) {
    const slot = slotOf(time);
    if (slot < openSlot || slot > endSlot) continue;
    for (let between = last + 1; last >= 0 && between < slot; between += 1)
      prices[between] = prices[last] ?? null;
    prices[slot] = Number(price);
    last = slot;
  }
  return { prices, openSlot, endSlot, timeOf: (slot) => openedAt + (slot - openSlot) * partMs };
}
