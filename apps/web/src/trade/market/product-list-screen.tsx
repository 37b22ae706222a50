import { useEffect, useRef, useState } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { get } from '../../api/client.ts';
import { market } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { PullToRefresh } from '../../parts/pull-to-refresh.tsx';
import { TabTitle } from '../../shell/tab-title.tsx';
import { LIST_TABS, MarketList, tabOf } from './market-list.tsx';
import css from './product-list.module.css';
import SearchBox from './search-box.tsx';
import { StaleNotice } from './stale-notice.tsx';

export function ProductListScreen() {
  const { t } = useText();
  const [query, setQuery] = useState('');
  const search = useRef<HTMLInputElement>(null);
  const address = useSearch({ ssrSearch: '' });
  const isForSearch = new URLSearchParams(address).has('search');
  const first = tabOf(address);
  useEffect(() => {
    if (!isForSearch) return;
    // Runs after the shell has focused the new view.
    const frame = requestAnimationFrame(() => search.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, [isForSearch]);
  return (
    <PullToRefresh onRefresh={async () => market.load(await get('product/board'))}>
      <div className="pb-16">
        <header className={css.header}>
          <TabTitle className={css.title}>{t('title.product')}</TabTitle>
          <SearchBox ref={search} query={query} onQuery={setQuery} />
        </header>
        <MarketList key={first} tabs={LIST_TABS} first={first} query={query} />
        <StaleNotice />
      </div>
    </PullToRefresh>
  );
}
