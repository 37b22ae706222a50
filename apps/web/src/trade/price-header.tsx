import type { ProductDetail } from '@fairtick/protocol';
import { isTicking } from '@fairtick/protocol/product-state';
import { DirectionMark, Skeleton } from '@fairtick/ui';
import { useStream } from '../api/stream.ts';
import { useSecond } from '../live/clock.ts';
import { type BoardRow, lacksPrice, useRow } from '../live/market.ts';
import { useText } from '../messages/text-context.tsx';
import { formatChange, formatDateTime, formatPrice, formatRate, wayOf } from '../state/format.ts';
import css from './product.module.css';

/** Keeps a line's height while it has no text. */
const NO_BREAK = '\u00a0';

export function PriceHeader({ symbol, detail }: { symbol: string; detail: ProductDetail | null }) {
  const { t } = useText();
  const row = useRow(symbol);
  const isComing = row === undefined;
  return (
    <section className={`flex between gap-12 ${css.price}`}>
      <div role="group" aria-label={t('product.priceNow')}>
        <p
          className={css.priceNow}
          data-testid="price"
          data-old={lacksPrice(row) || undefined}
          translate="no"
        >
          {row?.price ? (
            <span key={row.price} className="fresh">
              {formatPrice(row.price)}
            </span>
          ) : isComing ? (
            <Skeleton width={150} height={32} />
          ) : (
            '–'
          )}
        </p>
        {row?.change && row.changeRate ? (
          // Keyed by its length: a longer change is a new element, which causes no layout shift.
          <DirectionMark
            key={formatChange(row.change).length}
            way={wayOf(row.change)}
            className={css.priceChange ?? ''}
          >
            {formatChange(row.change)}
            <span translate="no">{formatRate(row.changeRate)}</span>
          </DirectionMark>
        ) : isComing ? (
          <Skeleton width={110} height={14} />
        ) : (
          NO_BREAK
        )}
      </div>
      <div className={`caption stack gap-4 ${css.evidence}`}>
        <SourceCount row={row} all={detail?.sources.length ?? 0} />
        <PriceAge symbol={symbol} licences={detail?.licences ?? null} />
      </div>
    </section>
  );
}

/** How many sources the price is made of, or how many of them count now where they are fewer. */
function SourceCount({ row, all }: { row: BoardRow | undefined; all: number }) {
  const { t } = useText();
  const now = row?.sourcesNow ?? all;
  const isFewer = now < all && row !== undefined && (isTicking(row) || lacksPrice(row));
  const text = isFewer ? t('product.sourcesNow', { now, all }) : t('product.sources', { count: all });
  return <p key={text}>{all === 0 ? NO_BREAK : text}</p>;
}

/** What the prices are, by the licence class of their sources: all sources of a product have one origin. */
const MARKETS = {
  simulated: 'product.simulated',
  recorded: 'product.replayed',
  public: 'product.live',
  licensed: 'product.live',
} as const;

/** How old the price is, in words that change once a second at most. */
function PriceAge({ symbol, licences }: { symbol: string; licences: ProductDetail['licences'] | null }) {
  const { t, tag } = useText();
  const second = useSecond();
  const row = useRow(symbol);
  const isStale = useStream((state) => state.isStale);
  if (!row?.priceAt) return <p>{lacksPrice(row) ? t('product.noPrice') : NO_BREAK}</p>;
  const age = Math.floor((second + 1000 - row.priceAt) / 1000);
  const words =
    !(isTicking(row) || lacksPrice(row)) || age >= 3600
      ? formatDateTime(row.priceAt, tag)
      : age <= 1
        ? t('product.justNow')
        : t('product.secondsAgo', { seconds: age });
  const market = licences && t(MARKETS[Object.values(licences)[0] ?? 'public']);
  // Without news the price is not live, whatever its sources are.
  const kind = lacksPrice(row) ? t('product.noPrice') : isStale ? null : market;
  const text = [words, kind].filter((part) => part !== null).join(' · ');
  // Keyed by its length, as the change is.
  return <p key={text.length}>{text}</p>;
}
