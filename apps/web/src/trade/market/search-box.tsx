import { CloseIcon, IconButton } from '@fairtick/ui';
import type { Ref } from 'react';
import { useSymbols } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { loadSearch } from './market-list.tsx';

export default function SearchBox(props: {
  query: string;
  onQuery: (query: string) => void;
  ref?: Ref<HTMLInputElement>;
}) {
  const { query, onQuery, ref } = props;
  const { t } = useText();
  const count = useSymbols().length;
  const label = count > 0 ? t('market.searchAll', { count }) : t('market.search');
  return (
    <SearchField
      ref={ref}
      label={label}
      isOnPage
      value={query}
      enterKeyHint="search"
      onFocus={() => void loadSearch()}
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
