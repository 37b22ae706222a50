import { DirectionMark } from '@fairtick/ui';
import { memo, useId } from 'react';
import { type BoardRow, lacksPrice, useRow } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { Link } from '../../shell/link.tsx';
import { formatPrice, formatRate, wayOf } from '../../state/format.ts';
import { closedText } from './closed-text.ts';
import css from './market.module.css';
import { ProductMark } from './product-mark.tsx';
import { Sparkline } from './sparkline.tsx';

/**
 * Shows a product in a list: name, code, sparkline, price and change; when closed, its opening time. The link's name stays the same
 * while prices change: a screen reader would read a changed name again. The figures are its description.
 */
export const PriceRow = memo(function PriceRow(props: {
  symbol: string;
  isCurrent?: boolean;
  hasSpark?: boolean;
}) {
  const row = useRow(props.symbol);
  const id = useId();
  if (!row) return null;
  return (
    <li className={css.row} data-closed={!row.isOpen || undefined}>
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
        {props.hasSpark && row.isOpen && <Sparkline symbol={row.symbol} />}
        {row.isOpen ? <RowPrice row={row} id={id} /> : <RowClosed row={row} id={id} />}
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

function RowClosed({ row, id }: { row: BoardRow; id: string }) {
  const text = useText();
  return (
    <span id={id} className={`flex-column items-end ${css.rowPrice}`} aria-hidden="true">
      <span className={css.rowClosed}>{text.t(lacksPrice(row) ? 'trade.noPrice' : 'trade.closed')}</span>
      <span className="caption">
        {(lacksPrice(row) ? null : closedText(row, text)) ?? (row.price && formatPrice(row.price))}
      </span>
    </span>
  );
}
