import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable, type List } from '../shell/data-table.tsx';
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
export const rowsOf = (transfers: readonly Transfer[]): Row[] =>
  transfers.flatMap((transfer) => {
    const postings: readonly (Posting | null)[] = transfer.postings.length === 0 ? [null] : transfer.postings;
    return postings.map((posting, place) => ({
      id: `${transfer.id} ${place}`,
      transfer,
      posting,
      isFirst: place === 0,
    }));
  });

/** Transfers with their postings, each linked to its cause. */
export function PostingsTable(props: { caption: string; list: List<Row>; none: string }) {
  const { t, word } = useText();
  const columns: Column<Row>[] = [
    { header: t('ledger.number'), cell: ({ isFirst, transfer }) => isFirst && transfer.id, isNumber: true },
    {
      header: t('audit.time'),
      cell: ({ isFirst, transfer }) => isFirst && formatTime(transfer.time),
    },
    {
      header: t('ledger.kind'),
      cell: ({ isFirst, transfer: { key, kind } }) =>
        isFirst && <span title={key}>{word('transferKind', kind)}</span>,
    },
    {
      header: t('ledger.from'),
      cell: ({ posting }) => (posting ? <AccountName name={posting.from} /> : t('ledger.nothingMoved')),
    },
    { header: t('ledger.to'), cell: ({ posting }) => posting && <AccountName name={posting.to} /> },
    {
      header: t('review.amount'),
      cell: ({ posting }) => posting && readable(posting.amount),
      isNumber: true,
    },
    { header: t('review.asset'), cell: ({ posting }) => posting?.asset },
    {
      header: t('ledger.after'),
      cell: ({ posting }) => posting?.availableAfter && readable(posting.availableAfter),
      isNumber: true,
    },
    {
      header: t('ledger.cause'),
      cell: ({ transfer, posting }) => (
        <span className={css.cause}>
          <CauseLink cause={posting?.cause ?? `${transfer.kind}:${transfer.id}`} />
        </span>
      ),
    },
  ];
  return <DataTable columns={columns} isDense {...props} />;
}
