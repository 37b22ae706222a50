import { useState } from 'react';
import { useLocation } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { formatTime } from '../state/format.ts';
import { type RecentCase, recentCases } from '../state/recent-cases.ts';

/** The cases that the reader opened last on this device, newest first. */
export function RecentCases({ staffId }: { staffId: string }) {
  const { t } = useText();
  const [, navigate] = useLocation();
  const [cases] = useState(() => recentCases(staffId));
  const columns: Column<RecentCase>[] = [
    { header: t('recent.case'), cell: ({ kind, id }) => t(`recent.${kind}`, { id }) },
    { header: t('recent.opened'), cell: ({ openedAt }) => formatTime(openedAt) },
  ];
  return (
    <section className="panel" aria-labelledby="recent">
      <h2 id="recent">{t('recent.title')}</h2>
      <DataTable
        caption={t('recent.title')}
        columns={columns}
        list={cases}
        none={t('recent.none')}
        idOf={({ kind, id }) => `${kind} ${id}`}
        onOpen={({ kind, id }) => navigate(`~/${kind}/${id}`)}
      />
    </section>
  );
}
