import type { ReactNode } from 'react';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable, More, type PagedList, useEmptyText } from '../shell/data-table.tsx';
import { formatTime } from '../state/format.ts';

/** The part that every proposal has, whatever its kind. */
export interface Proposal {
  readonly id: string;
  readonly status: string;
  /** Unix ms. */
  readonly proposedAt: number;
  readonly proposedBy: { readonly id: string; readonly name: string };
  /** Null until somebody decides. */
  readonly decidedBy: { readonly id: string; readonly name: string } | null;
}

/** The status as staff read it: a proposal that its own proposer refused is withdrawn. */
export const shownStatus = (
  status: string,
  { proposedBy, decidedBy }: Pick<Proposal, 'proposedBy' | 'decidedBy'>,
) => (status === 'refused' && decidedBy?.id === proposedBy.id ? 'withdrawn' : status);

/** Proposals of one kind, newest first, page by page: the columns of every proposal around those of the kind. */
export function ProposalsTable<Row extends Proposal>(props: {
  list: PagedList<Row>;
  columns: readonly Column<Row>[];
  /** Buttons for a proposal that awaits a decision. */
  action?: (row: Row) => ReactNode;
  onOpen?: (row: Row) => void;
  /** For screen readers; by default "Changes". */
  caption?: string;
  /** Shown when there are none; by default "No changes". */
  none?: string;
  /** The family of texts that names the states. */
  states?: 'change' | 'rulesState';
}) {
  const { t, word, tag } = useText();
  const { list, action, onOpen, states = 'change' } = props;
  const columns: Column<Row>[] = [
    {
      id: 'proposedAt',
      header: t('audit.time'),
      cell: ({ row }) => formatTime(row.original.proposedAt, tag),
    },
    { id: 'proposedBy', header: t('staff.proposedBy'), cell: ({ row }) => row.original.proposedBy.name },
    ...props.columns,
    {
      id: 'status',
      header: t('staff.state'),
      cell: ({ row: { original } }) => (
        <>
          {word(states, shownStatus(original.status, original))}
          {original.decidedBy !== null && <small>{original.decidedBy.name}</small>}
        </>
      ),
    },
  ];
  if (action)
    columns.push({
      id: 'act',
      header: () => <span className="sr">{t('shell.actions')}</span>,
      cell: ({ row: { original } }) => original.status === 'proposed' && action(original),
    });
  return (
    <>
      <DataTable
        caption={props.caption ?? t('staff.changes')}
        columns={columns}
        rows={list.rows}
        idOf={({ id }) => id}
        isDense
        empty={useEmptyText(list, props.none ?? t('staff.noChanges'))}
        {...(onOpen ? { onOpen } : {})}
      />
      <More query={list} />
    </>
  );
}
