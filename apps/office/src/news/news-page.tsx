import type { NewsState } from '@fairtick/protocol/office';
import { Tag } from '@fairtick/ui';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, SelectField } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import css from './news.module.css';
import { NewsCase } from './news-case.tsx';
import { type NewsRow, useNews } from './queries.ts';

const STATES = ['draft', 'scheduled', 'shown', 'withdrawn'] as const;
const NEW = 'new';

/** News: the list, and one article with what may be done to it. */
export default function NewsPage() {
  const [location] = useLocation();
  const id = location.slice(1);
  if (id === '') return <NewsTable />;
  return <NewsCase key={id} id={id === NEW ? null : id} />;
}

function NewsTable() {
  const { t, word } = useText();
  const [, go] = useLocation();
  const [state, setState] = useState<NewsState | ''>('');
  const mayWrite = useHas()('content');
  const columns: Column<NewsRow>[] = [
    { header: t('news.state'), cell: (row) => word('newsState', row.state) },
    {
      header: t('news.title'),
      cell: (row) => (
        <span className="row gap-8">
          <b>{row.title}</b>
          {row.isSample && <Tag look="outline">{t('news.sample')}</Tag>}
          {row.hasDraft && row.state === 'shown' && <Tag>{t('news.hasDraft')}</Tag>}
        </span>
      ),
    },
    { header: t('news.kind'), cell: ({ category }) => word('newsKind', category) },
    {
      header: t('shell.language'),
      cell: ({ languages }) => languages.map((one) => word('shortLanguage', one)).join(' · '),
    },
    { header: t('news.version'), cell: ({ version }) => version, isNumber: true },
    {
      header: t('news.publishAt'),
      cell: ({ publishAt }) => (publishAt === null ? t('news.notPublished') : formatTime(publishAt)),
    },
    { header: t('news.savedAt'), cell: ({ savedAt }) => formatTime(savedAt) },
  ];
  return (
    <div className="page">
      <div className="head">
        <h1>{t('page.news')}</h1>
        {mayWrite && (
          <Action look="gold" onClick={() => go(`/${NEW}`)}>
            {t('news.new')}
          </Action>
        )}
      </div>
      <div className={css.filters}>
        <SelectField
          label={t('news.state')}
          value={state}
          none={t('news.anyState')}
          choices={STATES}
          nameOf={(one) => word('newsState', one)}
          onChange={(event) => setState(event.target.value as NewsState | '')}
        />
      </div>
      <DataTable
        caption={t('page.news')}
        columns={columns}
        list={useNews(state)}
        none={t('news.none')}
        onOpen={({ id }) => go(`/${id}`)}
      />
    </div>
  );
}
