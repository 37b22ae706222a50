import { useState } from 'react';
import { useLocation } from 'wouter';
import type { MessageId } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { formatTime } from '../state/format.ts';
import { type RecentCase, recentCases } from '../state/recent-cases.ts';

/** The cases that the reader opened last on this device, newest first. */
export function RecentCases({ staffId }: { staffId: string }) {
  const { t, tag } = useText();
  const [, navigate] = useLocation();
  const [cases] = useState(() => recentCases(staffId));
  const columns: Column<RecentCase>[] = [
    {
      id: 'case',
      header: t('recent.case'),
      cell: ({ row: { original } }) => t(`recent.${original.kind}` as MessageId, { id: original.id }),
    },
    {
      id: 'opened',
      header: t('recent.opened'),
      cell: ({ row }) => formatTime(row.original.openedAt, tag),
    },
  ];
  return (
    <section className="panel" aria-labelledby="recent">
      <h2 id="recent">{t('recent.title')}</h2>
      <DataTable
        caption={t('recent.title')}
        columns={columns}
        rows={cases}
        idOf={({ kind, id }) => `${kind} ${id}`}
        onOpen={({ kind, id }) => navigate(`~/${kind}/${id}`)}
        empty={t('recent.none')}
      />
    </section>
  );
}
