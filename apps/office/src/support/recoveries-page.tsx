import { Tag } from '@fairtick/ui';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Pills } from '../shell/pills.tsx';
import split from '../shell/split.module.css';
import { formatTime } from '../state/format.ts';
import css from './chats.module.css';
import { type Recovery, useRecoveries } from './queries.ts';
import { RecoveryCase } from './recovery-case.tsx';

const NONE: readonly Recovery[] = [];
const STATES = ['open', 'decided'] as const;

/** Calls for help from customers who can't log in: who asks, and the state of the review by two. */
export default function RecoveriesPage() {
  const { t, word, tag } = useText();
  const [location, navigate] = useLocation();
  const [state, setState] = useState<'open' | 'decided'>('open');
  const query = useRecoveries(state);
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? NONE;
  const openId = /^\/(\d{1,18})$/.exec(location)?.[1] ?? null;
  const columns: Column<Recovery>[] = [
    { id: 'id', header: t('recovery.number'), cell: ({ row }) => row.original.id },
    { id: 'at', header: t('recovery.at'), cell: ({ row }) => formatTime(row.original.at, tag) },
    {
      id: 'account',
      header: t('session.account'),
      cell: ({ row: { original } }) => (
        <>
          <strong>{original.account}</strong>{' '}
          {original.isClaim && <Tag look="warn">{t('recovery.isClaim')}</Tag>}
        </>
      ),
    },
    {
      id: 'state',
      header: t('staff.state'),
      cell: ({ row }) => <Tag>{word('recoveryState', row.original.state)}</Tag>,
    },
    {
      id: 'by',
      header: t('recovery.by'),
      cell: ({ row: { original } }) => original.decidedBy?.name ?? original.proposedBy?.name ?? '–',
    },
  ];
  return (
    <div className={split.split}>
      <section className={css.queue} aria-labelledby="recoveries-title">
        <header className={`row between gap-12 ${css.head}`}>
          <h1 id="recoveries-title">{t('page.recoveries')}</h1>
        </header>
        <Pills
          label={t('chat.filter')}
          values={STATES}
          value={state}
          nameOf={(one) => t(`recovery.show.${one}`)}
          onChange={setState}
        />
        <DataTable
          caption={t('page.recoveries')}
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          openId={openId}
          onOpen={({ id }) => navigate(`/${id}`)}
          empty={t(
            query.isPending ? 'shell.loading' : query.isError ? 'shell.networkError' : 'recovery.none',
          )}
        />
        {query.hasNextPage && (
          <button type="button" className={css.more} onClick={() => void query.fetchNextPage()}>
            {t('shell.more')}
          </button>
        )}
        <p className="caption">{t('recovery.note')}</p>
      </section>
      <aside className={`flex-column min-0 ${split.aside}`} aria-label={t('review.case')}>
        {openId === null ? (
          <p className={`ink-3 text-center ${split.choose}`}>{t('review.choose')}</p>
        ) : (
          <RecoveryCase key={openId} id={openId} />
        )}
      </aside>
    </div>
  );
}
