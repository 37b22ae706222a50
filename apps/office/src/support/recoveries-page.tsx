import { Tag } from '@fairtick/ui';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { RowOf } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Pills } from '../shell/pills.tsx';
import split from '../shell/split.module.css';
import { formatTime } from '../state/format.ts';
import { caseOf } from '../state/recent-cases.ts';
import css from './chats.module.css';
import { useRecoveries } from './queries.ts';
import { RecoveryCase } from './recovery-case.tsx';

const STATES = ['open', 'decided'] as const;

/** Calls for help from customers who can't log in: who asks, and the state of the review by two. */
export default function RecoveriesPage() {
  const { t, word } = useText();
  const [location, navigate] = useLocation();
  const [state, setState] = useState<(typeof STATES)[number]>('open');
  const openId = caseOf(location);
  const columns: Column<RowOf<'recovery/queue'>>[] = [
    { header: t('recovery.number'), cell: ({ id }) => id },
    { header: t('recovery.at'), cell: ({ at }) => formatTime(at) },
    {
      header: t('session.account'),
      cell: ({ account, isClaim }) => (
        <>
          <strong>{account}</strong> {isClaim && <Tag look="warn">{t('recovery.isClaim')}</Tag>}
        </>
      ),
    },
    { header: t('staff.state'), cell: (row) => <Tag>{word('recoveryState', row.state)}</Tag> },
    {
      header: t('recovery.by'),
      cell: ({ decidedBy, proposedBy }) => decidedBy?.name ?? proposedBy?.name ?? '–',
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
          list={useRecoveries(state)}
          none={t('recovery.none')}
          openId={openId}
          onOpen={({ id }) => navigate(`/${id}`)}
        />
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
