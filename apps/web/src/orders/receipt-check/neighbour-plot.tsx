import type { ShownEntry } from '@fairtick/proof';
import { useText } from '../../messages/text-context.tsx';
import { formatCount, formatPrice } from '../../state/format.ts';
import css from './receipt-check.module.css';

const WIDTH = 320;
const HEIGHT = 72;
const EDGE = 8;

/** A line between fewer prices shows nothing that the list does not. */
const LEAST_DRAWN = 3;

/** The product's log entries around a decision, with the deciding one marked; as a list, and as a picture of three or more. */
export function NeighbourPlot({
  title,
  entries,
  at,
}: {
  title: string;
  entries: readonly ShownEntry[];
  at: number;
}) {
  const { t, tag } = useText();
  const prices = entries.flatMap(({ price }) => (price === null ? [] : [Number(price)]));
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const x = (place: number) => EDGE + ((WIDTH - 2 * EDGE) * place) / Math.max(1, entries.length - 1);
  const y = (price: number) =>
    high === low ? HEIGHT / 2 : HEIGHT - EDGE - ((HEIGHT - 2 * EDGE) * (price - low)) / (high - low);
  const drawn = entries.flatMap(({ price }, place) =>
    price === null ? [] : [{ place, x: x(place), y: y(Number(price)) }],
  );
  const time = new Intl.DateTimeFormat(tag, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
  });
  return (
    <figure className={css.plot}>
      <figcaption>{title}</figcaption>
      {drawn.length >= LEAST_DRAWN && (
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
          <polyline
            points={drawn.map((point) => `${point.x.toFixed(1)},${point.y.toFixed(1)}`).join(' ')}
            fill="none"
            stroke="var(--ink-2)"
            strokeWidth="1.5"
          />
          {drawn.map((point) => (
            <circle
              key={point.place}
              cx={point.x}
              cy={point.y}
              r={point.place === at ? 4.5 : 2.5}
              fill={point.place === at ? 'var(--gold-fill)' : 'var(--ink-2)'}
              stroke="var(--bg)"
              strokeWidth="1"
            />
          ))}
        </svg>
      )}
      <ol>
        {entries.map(({ index, timeMs, price }, place) => (
          <li key={index} className="caption" data-decides={place === at ? '' : undefined}>
            <span translate="no">{`#${formatCount(index)}`}</span>
            <span>{time.format(timeMs)}</span>
            <span translate="no">{price === null ? t('receipt.gap') : formatPrice(price)}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}
