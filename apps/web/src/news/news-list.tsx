import type { NewsCategory, NewsItem } from '@fairtick/protocol';
import { LANGUAGE_TAGS } from '@fairtick/protocol/languages';
import { Empty, FileIcon, Skeleton, Tabs, Tag } from '@fairtick/ui';
import { useState } from 'react';
import { get } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { LoadMore } from '../parts/load-more.tsx';
import { Listed } from '../parts/loaded.tsx';
import { usePages } from '../parts/pages.ts';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { Link } from '../shell/link.tsx';
import { TabTitle } from '../shell/tab-title.tsx';
import css from './news.module.css';
import { fallbackText, newsTime } from './news-words.ts';

const LIMIT = 20;
const TABS = ['all', 'notice', 'rules', 'market', 'guide'] as const;
type Tab = (typeof TABS)[number];

export function NewsList() {
  const { t, language } = useText();
  const [tab, setTab] = useState<Tab>('all');
  const category = tab === 'all' ? undefined : (tab satisfies NewsCategory);
  const { query, items, more } = usePages(['news', language, tab], (cursor, signal) =>
    get('news/list', { limit: LIMIT, cursor, category }, { signal }),
  );
  const [lead, ...others] = items;
  return (
    <PullToRefresh onRefresh={() => query.refetch({ throwOnError: true })}>
      <div className={`mx-auto pb-16 ${css.page}`}>
        <TabTitle className={css.title}>{t('title.news')}</TabTitle>
        <Tabs
          label={t('news.category')}
          id="news"
          value={tab}
          tabs={TABS.map((value) => ({ value, label: t(`news.${value}`) }))}
          onChange={setTab}
          className={css.tabs ?? ''}
        />
        <div role="tabpanel" aria-labelledby={`news-${tab}`} aria-busy={query.isPending}>
          <Listed
            query={query}
            items={items}
            waiting={<ListSkeleton />}
            empty={
              <Empty icon={<FileIcon size={28} />} title={t('news.empty')}>
                {t('news.emptyHint')}
              </Empty>
            }
          >
            {lead && <Lead item={lead} />}
            <ul className={`lined ${css.list}`}>
              {others.map((item) => (
                <li key={item.id}>
                  <Row item={item} />
                </li>
              ))}
            </ul>
            <LoadMore {...more} />
          </Listed>
        </div>
      </div>
    </PullToRefresh>
  );
}

const hrefOf = ({ id }: NewsItem) => `/news?id=${id}`;

function Lead({ item }: { item: NewsItem }) {
  return (
    <Link
      href={hrefOf(item)}
      className={`card block mt-16 mx-side clip ${css.lead}`}
      lang={langOf(item)}
      data-news={item.id}
    >
      {item.cover && <Cover item={item} />}
      <div className={css.leadText}>
        <Kind item={item} />
        <h2>{item.title}</h2>
        <p className="secondary">{item.summary}</p>
        <About item={item} />
      </div>
    </Link>
  );
}

function Row({ item }: { item: NewsItem }) {
  return (
    <Link
      href={hrefOf(item)}
      className={`row gap-16 py-14 ${css.row}`}
      lang={langOf(item)}
      data-news={item.id}
    >
      <div className="fill">
        <Kind item={item} />
        <h2>{item.title}</h2>
        <About item={item} />
      </div>
      {item.cover && <Cover item={item} isSmall />}
    </Link>
  );
}

/** Language of a fallback text, so that screen readers read it correctly; undefined for the reader's own language. */
export const langOf = ({ isFallback, language }: NewsItem) =>
  isFallback ? LANGUAGE_TAGS[language] : undefined;

export function Kind({ item }: { item: NewsItem }) {
  const { t, tag } = useText();
  return (
    <span className={`row gap-8 text-12 ink-2 ${css.kind}`} lang={tag}>
      {t(`news.${item.category}`)}
      {item.isSample && <Tag look="outline">{t('news.sample')}</Tag>}
    </span>
  );
}

function About({ item }: { item: NewsItem }) {
  const text = useText();
  const { t, tag } = text;
  return (
    <span className={`caption flex wrap mt-8 ${css.about}`} lang={tag}>
      <span>{item.source}</span>
      <time dateTime={new Date(item.publishedAt).toISOString()}>{newsTime(text, item.publishedAt)}</time>
      <span>{t('news.minutes', { minutes: item.minutes })}</span>
      {item.isFallback && <span data-line>{fallbackText(text, item)}</span>}
    </span>
  );
}

/** A decorative picture with no alternative text, because the words say it all. Its size is reserved before it loads. */
export function Cover({ item: { cover }, isSmall = false }: { item: NewsItem; isSmall?: boolean }) {
  if (!cover) return null;
  return (
    <img
      className={`block full ${css.cover}`}
      data-small={isSmall || undefined}
      src={isSmall ? `${cover.url}&thumb=true` : cover.url}
      width={cover.width}
      height={cover.height}
      alt=""
      decoding="async"
    />
  );
}

function ListSkeleton() {
  return (
    <div className={`stack gap-24 ${css.skeletons}`}>
      <Skeleton width="100%" height={190} />
      {[1, 2, 3].map((row) => (
        <div className="stack gap-8" key={row}>
          <Skeleton width={64} height={12} />
          <Skeleton width="90%" height={20} />
          <Skeleton width={160} height={12} />
        </div>
      ))}
    </div>
  );
}
