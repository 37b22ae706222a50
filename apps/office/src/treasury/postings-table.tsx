import { useMemo } from 'react';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { readable } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { AccountName, CauseLink } from './parts.tsx';
import type { Posting, Transfer } from './queries.ts';
import css from './treasury.module.css';

interface Row {
  readonly id: string;
  readonly transfer: Transfer;
  readonly posting: Posting | null;
  /** Number, time and kind are shown at the first posting of a transfer only. */
  readonly isFirst: boolean;
}

/** Each posting has a row; a transfer without postings has one that says so. */
function rowsOf(transfers: readonly Transfer[]): Row[] {
  return transfers.flatMap((transfer) => {
    const postings: readonly (Posting | null)[] = transfer.postings.length === 0 ? [null] : transfer.postings;
    return postings.map((posting, place) => ({
      id: `${transfer.id} ${place}`,
      transfer,
      posting,
      isFirst: place === 0,
    }));
  });
}

/** Transfers with their postings, each linked to its cause. */
export function PostingsTable(props: { caption: string; transfers: readonly Transfer[]; empty: string }) {
  const { t, word, tag } = useText();
  const rows = useMemo(() => rowsOf(props.transfers), [props.transfers]);
  const columns: Column<Row>[] = [
    {
      id: 'id',
      header: t('ledger.number'),
      cell: ({ row: { original } }) => original.isFirst && original.transfer.id,
      meta: { isNumber: true },
    },
    {
      id: 'time',
      header: t('audit.time'),
      cell: ({ row: { original } }) => original.isFirst && formatTime(original.transfer.time, tag),
    },
    {
      id: 'kind',
      header: t('ledger.kind'),
      cell: ({ row: { original } }) =>
        original.isFirst && (
          <span title={original.transfer.key}>{word('transferKind', original.transfer.kind)}</span>
        ),
    },
    {
      id: 'from',
      header: t('ledger.from'),
      cell: ({ row: { original } }) =>
        original.posting === null ? t('ledger.nothingMoved') : <AccountName name={original.posting.from} />,
    },
    {
      id: 'to',
      header: t('ledger.to'),
      cell: ({ row: { original } }) =>
        original.posting !== null && <AccountName name={original.posting.to} />,
    },
    {
      id: 'amount',
      header: t('review.amount'),
      cell: ({ row: { original } }) => original.posting !== null && readable(original.posting.amount),
      meta: { isNumber: true },
    },
    { id: 'asset', header: t('review.asset'), cell: ({ row }) => row.original.posting?.asset },
    {
      id: 'after',
      header: t('ledger.after'),
      cell: ({ row: { original } }) =>
        original.posting !== null &&
        original.posting.availableAfter !== null &&
        readable(original.posting.availableAfter),
      meta: { isNumber: true },
    },
    {
      id: 'cause',
      header: t('ledger.cause'),
      cell: ({ row: { original } }) => (
        <span className={css.cause}>
          <CauseLink cause={original.posting?.cause ?? `${original.transfer.kind}:${original.transfer.id}`} />
        </span>
      ),
    },
  ];
  return (
    <DataTable
      caption={props.caption}
      columns={columns}
      rows={rows}
      idOf={({ id }) => id}
      isDense
      empty={props.empty}
    />
  );
}
