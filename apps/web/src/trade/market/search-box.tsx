import { CloseIcon, IconButton, SearchIcon } from '@fairtick/ui';
import type { Ref } from 'react';
import { useSymbols } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import css from '../../parts/search.module.css';
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
    <label className={`row gap-10 ink-3 touch ${css.search}`} data-page>
      <SearchIcon size={20} />
      <input
        ref={ref}
        type="search"
        aria-label={label}
        placeholder={label}
        value={query}
        maxLength={40}
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="search"
        onFocus={() => void loadSearch()}
        onChange={(event) => onQuery(event.target.value)}
      />
      {query !== '' && (
        <IconButton label={t('market.clearSearch')} onClick={() => onQuery('')}>
          <CloseIcon size={18} />
        </IconButton>
      )}
    </label>
  );
}
