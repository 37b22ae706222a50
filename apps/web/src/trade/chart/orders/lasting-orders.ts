import type { Order } from '@fairtick/protocol';
import { useMemo, useState } from 'react';
import { useSecond } from '../../../live/clock.ts';

/** How long a settled order stays on the chart with its result, from its settlement or from when it was picked. */
const SETTLED_MS = 30_000;

interface Pick {
  readonly id: string;
  readonly ms: number;
}

/** The orders that are on a chart: open, just settled, or picked a moment ago after their settlement. */
export const lastingOrders = (orders: readonly Order[], picked: Pick | null, nowMs: number): Order[] =>
  orders.filter(
    ({ id, status, settlesAt }) =>
      status === 'unsettled' || nowMs < Math.max(settlesAt, picked?.id === id ? picked.ms : 0) + SETTLED_MS,
  );

/** The orders on a chart, and the chosen one of them: the one that was picked, else the next to settle. */
export function useLastingOrders(orders: readonly Order[]) {
  const now = useSecond();
  const [picked, setPicked] = useState<Pick | null>(null);
  const lasting = lastingOrders(orders, picked, now);
  const ids = lasting.map(({ id }) => id).join();
  // The same list from second to second, unless an order came, changed or went.
  const shown = useMemo(() => orders.filter(({ id }) => ids.split(',').includes(id)), [orders, ids]);
  const chosen = (shown.find(({ id }) => id === picked?.id) ?? shown[0])?.id ?? null;
  return { shown, chosen, onChoose: (id: string) => setPicked({ id, ms: now }) };
}
