import type { NewsState } from '@fairtick/protocol/office';
import { Tag } from '@fairtick/ui';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable, More, useEmptyText } from '../shell/data-table.tsx';
import { Action, SelectField } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import css from './news.module.css';
import { NewsCase } from './news-case.tsx';
import { type NewsRow, useMayWrite, useNews } from './queries.ts';

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
  const { t, word, tag } = useText();
  const [, go] = useLocation();
  const [state, setState] = useState<NewsState | ''>('');
  const list = useNews(state);
  const mayWrite = useMayWrite();
  const columns: Column<NewsRow>[] = [
    { id: 'state', header: t('news.state'), cell: ({ row }) => word('newsState', row.original.state) },
    {
      id: 'title',
      header: t('news.title'),
      cell: ({ row: { original } }) => (
        <span className="row gap-8">
          <b>{original.title}</b>
          {original.isSample && <Tag look="outline">{t('news.sample')}</Tag>}
          {original.hasDraft && original.state === 'shown' && <Tag>{t('news.hasDraft')}</Tag>}
        </span>
      ),
    },
    { id: 'kind', header: t('news.kind'), cell: ({ row }) => word('newsKind', row.original.category) },
    {
      id: 'languages',
      header: t('shell.language'),
      cell: ({ row }) => row.original.languages.map((one) => word('shortLanguage', one)).join(' · '),
    },
    {
      id: 'version',
      header: t('news.version'),
      cell: ({ row }) => row.original.version,
      meta: { isNumber: true },
    },
    {
      id: 'at',
      header: t('news.publishAt'),
      cell: ({ row: { original } }) =>
        original.publishAt === null ? t('news.notPublished') : formatTime(original.publishAt, tag),
    },
    { id: 'saved', header: t('news.savedAt'), cell: ({ row }) => formatTime(row.original.savedAt, tag) },
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
          onChange={(event) => setState(event.target.value as NewsState | '')}
        >
          <option value="">{t('news.anyState')}</option>
          {STATES.map((one) => (
            <option key={one} value={one}>
              {word('newsState', one)}
            </option>
          ))}
        </SelectField>
      </div>
      <DataTable
        caption={t('page.news')}
        columns={columns}
        rows={list.rows}
        idOf={({ id }) => id}
        onOpen={({ id }) => go(`/${id}`)}
        empty={useEmptyText(list, t('news.none'))}
      />
      <More query={list} />
    </div>
  );
}
