import type { TickPoint } from '@fairtick/protocol';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { get } from '../api/client.ts';
import { serverNow } from '../live/clock.ts';
import { useRow } from '../live/market.ts';
import css from './product.module.css';

/** How much of the past the line shows, in ms. */
const SPAN_MS = 120_000;
const WIDTH = 100;
const HEIGHT = 40;
/** Keeps the line's own width inside the box. */
const MARGIN = 2;

/** The last two minutes of prices as a plain line, for a screen whose chart has no room. It grows with every price. */
export function LiveLine({ symbol }: { symbol: string }) {
  const [fromMs] = useState(() => serverNow() - SPAN_MS);
  const row = useRow(symbol);
  const [live, setLive] = useState<readonly TickPoint[]>([]);
  const { data } = useQuery({
    queryKey: ['ticks', symbol, 'line', fromMs],
    queryFn: ({ signal }) =>
      get('product/ticks', { symbol, from: fromMs, to: fromMs + SPAN_MS }, { signal, isSilent: true }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { price, priceAt } = row ?? {};
  useEffect(() => {
    if (!price || !priceAt) return;
    setLive((points) => [...points.filter(({ time }) => time > priceAt - SPAN_MS), { time: priceAt, price }]);
  }, [price, priceAt]);
  const points = pointsOf([...(data ?? []), ...live]);
  return (
    <svg
      className={css.line}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      {points !== null && <polyline points={points} />}
    </svg>
  );
}

/** Points of the polyline, the newest at the right edge; null without two prices. Floats are enough for drawing. */
function pointsOf(points: readonly TickPoint[]): string | null {
  const lastMs = points.at(-1)?.time ?? 0;
  const shown = points.filter(({ time }) => time > lastMs - SPAN_MS);
  if (shown.length < 2) return null;
  const values = shown.map(({ price }) => Number(price));
  const low = Math.min(...values);
  const high = Math.max(...values);
  const y = (value: number) =>
    high === low ? HEIGHT / 2 : HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN);
  return shown
    .map(({ time }, at) => {
      const x = WIDTH - ((lastMs - time) / SPAN_MS) * WIDTH;
      return `${x.toFixed(2)},${y(values[at] as number).toFixed(2)}`;
    })
    .join(' ');
}
