import type { Order, TickPoint } from '@fairtick/protocol';
import { DirectionMark } from '@fairtick/ui';
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { useSecond } from '../../live/clock.ts';
import { useText } from '../../messages/text-context.tsx';
import { formatPrice, formatTime } from '../../state/format.ts';
import { outcomeOf, stakeOf } from '../outcome.ts';
import { labelPlaces } from './label-places.ts';
import { layOut, type PlotLayout } from './plot-layout.ts';
import css from './price-plot.module.css';

/** Distance of two labels, and of the first and last from the edges, px. */
const LABEL = 22;
const EDGE = 11;

export type OpenedOrder = Order & { readonly openedAt: number; readonly openPrice: string };

export const hasOpened = (order: Order): order is OpenedOrder =>
  order.openedAt !== null && order.openPrice !== null;

/**
 * Prices as a line, with the opening lines, ends and labels of orders, as the chart has them. It fills its box; without two prices
 * the box stays empty.
 */
export function PricePlot(props: {
  points: readonly TickPoint[];
  orders: readonly OpenedOrder[];
  fromMs: number;
  toMs: number;
  /** Whether each order has its direction, stake and outcome beside its line. */
  hasLabels?: boolean;
  /** In words, for screen readers; without it the plot is hidden from them. */
  label?: string;
}) {
  const { points, orders, fromMs, toMs, hasLabels = false, label } = props;
  const box = useRef<HTMLDivElement>(null);
  const height = useHeight(box);
  const plot = layOut(points, { orders: orders.map(plotted), fromMs, toMs });
  const price = points.at(-1)?.price;
  return (
    <div className={css.plot} {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}>
      <div ref={box} className={css.field}>
        {plot && (
          <>
            <Lines plot={plot} orders={orders} />
            {hasLabels && <Labels plot={plot} orders={orders} height={height} price={price ?? null} />}
            {price && <Tags plot={plot} orders={orders} height={height} price={price} />}
          </>
        )}
      </div>
      {plot && <Ends plot={plot} orders={orders} />}
    </div>
  );
}

const plotted = ({ id, openPrice, openedAt, settlesAt }: OpenedOrder) => ({
  ...{ id, openPrice, openedAt },
  endsAt: settlesAt,
});

interface PartProps {
  readonly plot: PlotLayout;
  readonly orders: readonly OpenedOrder[];
}

function Lines({ plot, orders }: PartProps) {
  return (
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {orders.map(({ id, direction }, at) => {
        const { from, to, y } = plot.orders[at] as PlotLayout['orders'][number];
        return (
          <g key={id} data-direction={direction}>
            <line className={css.across} x1="0" x2="100" y1={y} y2={y} />
            <line className={css.opening} x1={from} x2={to ?? 100} y1={y} y2={y} />
            {to !== null && <line className={css.end} x1={to} x2={to} y1="0" y2="100" />}
          </g>
        );
      })}
      <polyline points={plot.line} />
      {/* A dot: the round ends of a line without a length. */}
      <line className={css.now} x1={plot.last.x} x2={plot.last.x} y1={plot.last.y} y2={plot.last.y} />
    </svg>
  );
}

function Labels({ plot, orders, height, price }: PartProps & { height: number; price: string | null }) {
  const { t } = useText();
  const second = useSecond();
  const column = { first: EDGE, last: height - EDGE, distance: LABEL };
  const places = labelPlaces(
    plot.orders.map(({ y }) => (y / 100) * height),
    column,
  );
  return orders.map((order, at) => {
    const outcome = outcomeOf(order, { price, nowMs: second, t });
    const top = places[at] ?? null;
    if (top === null) return null;
    return (
      <p key={order.id} className={css.label} data-direction={order.direction} style={movedTo(top)}>
        <DirectionMark way={order.direction}>
          <span>
            {stakeOf(order)}
            {outcome && ` · ${outcome.words} `}
            {outcome && (
              <b className="strong" translate="no">
                {outcome.amount}
              </b>
            )}
          </span>
        </DirectionMark>
      </p>
    );
  });
}

function Tags({ plot, orders, height, price }: PartProps & { height: number; price: string }) {
  const all = [
    { key: 'now', text: price, y: plot.last.y, direction: undefined },
    ...orders
      .map(({ id, openPrice, direction }, at) => ({
        ...{ key: id, text: openPrice, direction },
        y: plot.orders[at]?.y ?? 0,
      }))
      .filter(({ text }) => text !== price),
  ];
  const places = labelPlaces(
    all.map(({ y }) => (y / 100) * height),
    { first: EDGE, last: height - EDGE, distance: 18 },
  );
  return all.map(({ key, text, direction }, at) => {
    const top = places[at] ?? null;
    if (top === null) return null;
    return (
      <span key={key} className={css.tag} data-direction={direction} style={movedTo(top)} translate="no">
        {formatPrice(text)}
      </span>
    );
  });
}

/** A label's middle at this height. A transform that changes with each price is no shift of the layout. */
const movedTo = (y: number): CSSProperties => ({ transform: `translateY(calc(${y}px - 50%))` });

function Ends({ plot, orders }: PartProps) {
  const { tag } = useText();
  const at = plot.orders.findIndex(({ to }) => to !== null);
  const order = orders[at];
  if (!order) return null;
  return (
    <p className={`text-11 ink-3 ${css.time}`} style={{ transform: `translateX(${plot.orders[at]?.to}%)` }}>
      <span>{formatTime(order.settlesAt, tag)}</span>
    </p>
  );
}

function useHeight(box: { readonly current: HTMLElement | null }): number {
  const [height, setHeight] = useState(120);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return height;
}
