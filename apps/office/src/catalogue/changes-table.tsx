import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { get } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import css from './catalogue.module.css';
import { CATALOGUE, type Change } from './queries.ts';

const REFRESH_MS = 5_000;

/** Changes of rules, newest first. */
export function ChangesTable() {
  const { t, word, tag } = useText();
  const [, go] = useLocation();
  const changes = useInfiniteQuery({
    queryKey: [CATALOGUE, 'changes'],
    queryFn: ({ pageParam, signal }) => get('catalogue/changes', { cursor: pageParam ?? undefined }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const rows = useMemo(() => changes.data?.pages.flatMap(({ items }) => items) ?? [], [changes.data]);
  const columns: Column<Change>[] = [
    { id: 'id', header: t('staff.number'), cell: ({ row }) => row.original.id, meta: { isNumber: true } },
    {
      id: 'state',
      header: t('catalogue.state'),
      cell: ({ row }) => <b>{word('rulesState', row.original.state)}</b>,
    },
    { id: 'kind', header: t('catalogue.kind'), cell: ({ row }) => word('rule', row.original.kind) },
    {
      id: 'products',
      header: t('catalogue.products'),
      cell: ({ row }) => row.original.products,
      meta: { isNumber: true },
    },
    { id: 'from', header: t('catalogue.from'), cell: ({ row }) => formatTime(row.original.effectiveAt, tag) },
    {
      id: 'note',
      header: t('catalogue.note'),
      cell: ({ row }) => <span className={css.wrap}>{row.original.note}</span>,
    },
    { id: 'by', header: t('staff.proposedBy'), cell: ({ row }) => row.original.proposedBy.name },
    { id: 'decided', header: t('staff.decidedBy'), cell: ({ row }) => row.original.decidedBy?.name ?? '' },
  ];
  return (
    <>
      <DataTable
        caption={t('catalogue.changes')}
        columns={columns}
        rows={rows}
        idOf={({ id }) => id}
        onOpen={({ id }) => go(`/change/${id}`)}
        empty={
          changes.isPending
            ? t('shell.loading')
            : t(changes.isError ? 'shell.networkError' : 'staff.noChanges')
        }
      />
      {changes.hasNextPage && (
        <p className={css.more}>
          <Action onClick={() => void changes.fetchNextPage()}>{t('shell.more')}</Action>
        </p>
      )}
    </>
  );
}
