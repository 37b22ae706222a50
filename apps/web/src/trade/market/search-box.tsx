import { CloseIcon, IconButton } from '@fairtick/ui';
import { isSendingEnter } from '@fairtick/ui/enter-sends';
import type { Ref } from 'react';
import { market, useSymbols } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { go } from '../../shell/navigate.ts';
import { loadSearch } from './market-list.tsx';

/** The first product of a search: the list may not have followed the last letter yet. */
async function firstFound(query: string): Promise<string | undefined> {
  const { searchProducts } = await loadSearch();
  return query.trim() === '' ? undefined : searchProducts(market.all())(query)[0]?.symbol;
}

export default function SearchBox(props: {
  query: string;
  onQuery: (query: string) => void;
  ref?: Ref<HTMLInputElement>;
}) {
  const { query, onQuery, ref } = props;
  const { t } = useText();
  const count = useSymbols().length;
  const openFirst = async (field: HTMLInputElement) => {
    const symbol = await firstFound(query);
    if (symbol === undefined) return;
    // Keys belong to the product's ticket again.
    field.blur();
    onQuery('');
    go(`/product?symbol=${encodeURIComponent(symbol)}`);
  };
  const label = count > 0 ? t('market.searchAll', { count }) : t('market.search');
  return (
    <SearchField
      ref={ref}
      label={label}
      isOnPage
      value={query}
      enterKeyHint="search"
      onFocus={() => void loadSearch()}
      onKeyDown={(event) => {
        if (isSendingEnter(event)) void openFirst(event.currentTarget);
      }}
      onQuery={onQuery}
    >
      {query !== '' && (
        <IconButton label={t('market.clearSearch')} onClick={() => onQuery('')}>
          <CloseIcon size={18} />
        </IconButton>
      )}
    </SearchField>
  );
}
