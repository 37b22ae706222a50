import marks from 'virtual:product-marks';
import { memo } from 'react';
import type { BoardRow } from '../../live/market.ts';
import css from './market.module.css';
import { markOf } from './marks.ts';

export const ProductMark = memo(function ProductMark(
  product: Pick<BoardRow, 'symbol' | 'name' | 'assetClass'>,
) {
  const mark = markOf(product);
  return (
    <span className={css.mark} data-kind={'ids' in mark ? 'pictures' : mark.metal} aria-hidden="true">
      {'ids' in mark
        ? mark.ids.map((id) => (
            <svg key={id} viewBox="0 0 32 32" data-of={mark.ids.length} aria-hidden="true">
              <use href={`${marks}#${id}`} />
            </svg>
          ))
        : mark.letters}
    </span>
  );
});
