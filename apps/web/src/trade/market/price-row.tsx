import { isTicking } from '@fairtick/protocol/product-state';
import { DirectionMark, ProductState } from '@fairtick/ui';
import { memo, useId } from 'react';
import { type BoardRow, lacksPrice, useRow } from '../../live/market.ts';
import { Link } from '../../shell/link.tsx';
import { formatPrice, formatRate, wayOf } from '../../state/format.ts';
import css from './market.module.css';
import { ProductMark } from './product-mark.tsx';
import { useClosed } from './product-state.tsx';
import { Sparkline } from './sparkline.tsx';

/**
 * Shows a product in a list: name, code, sparkline, price and change; while it takes no orders, its state. The link's name stays the same
 * while prices change: a screen reader would read a changed name again. The figures are its description.
 */
export const PriceRow = memo(function PriceRow(props: {
  symbol: string;
  isCurrent?: boolean;
  hasSpark?: boolean;
}) {
  const row = useRow(props.symbol);
  const closed = useClosed(row);
  const id = useId();
  if (!row) return null;
  return (
    <li className={css.row} data-closed={closed !== null || undefined}>
      <Link
        href={`/product?symbol=${encodeURIComponent(props.symbol)}`}
        className={css.rowLink}
        aria-current={props.isCurrent || undefined}
        aria-describedby={id}
      >
        <ProductMark symbol={row.symbol} name={row.name} assetClass={row.assetClass} />
        <span className={`stack fill ${css.rowName}`}>
          <b>{row.name}</b>
          <span>{row.symbol}</span>
        </span>
        {props.hasSpark && isTicking(row) && <Sparkline symbol={row.symbol} />}
        {closed ? <RowClosed row={row} closed={closed} id={id} /> : <RowPrice row={row} id={id} />}
      </Link>
    </li>
  );
});

function RowPrice({ row, id }: { row: BoardRow; id: string }) {
  const rate = row.changeRate === null ? '' : formatRate(row.changeRate);
  return (
    <span id={id} className={`flex-column items-end ${css.rowPrice}`} aria-hidden="true">
      {row.price === null ? (
        <span>–</span>
      ) : (
        <span key={row.price} className="fresh" data-price translate="no">
          {formatPrice(row.price)}
        </span>
      )}
      {rate !== '' && (
        // Keyed by its length: a longer rate is a new element, which causes no layout shift.
        // A rate that rounds to zero has no direction.
        <DirectionMark
          key={rate.length}
          way={/[1-9]/.test(rate) ? wayOf(row.changeRate) : 'none'}
          className={css.rowChange ?? ''}
        >
          {rate}
        </DirectionMark>
      )}
    </span>
  );
}

/** While prices go on, as in a halt, the price stays; else the time of the opening, or since when there is no price. */
function RowClosed(props: { row: BoardRow; closed: NonNullable<ReturnType<typeof useClosed>>; id: string }) {
  const { row, closed, id } = props;
  const price = row.price && formatPrice(row.price);
  return (
    <span id={id} className={`flex-column items-end gap-4 ${css.rowPrice}`} aria-hidden="true">
      {isTicking(row) && <span translate="no">{price}</span>}
      <ProductState state={closed} look="mark" />
      {!isTicking(row) && <span className="caption">{closed.below ?? (lacksPrice(row) ? null : price)}</span>}
    </span>
  );
}
