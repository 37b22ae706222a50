import type { ReactNode } from 'react';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable, type List } from '../shell/data-table.tsx';
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
  list: List<Row>;
  columns: readonly Column<Row>[];
  /** Buttons for a proposal that awaits a decision. */
  action: (row: Row) => ReactNode;
  onOpen?: (row: Row) => void;
  /** For screen readers; by default "Changes". */
  caption?: string;
  /** Shown when there are none; by default "No changes". */
  none?: string;
  /** The family of texts that names the states. */
  states?: 'change' | 'rulesState';
}) {
  const { t, word } = useText();
  const { list, action, onOpen, states = 'change' } = props;
  const columns: Column<Row>[] = [
    { header: t('audit.time'), cell: (row) => formatTime(row.proposedAt) },
    { header: t('staff.proposedBy'), cell: (row) => row.proposedBy.name },
    ...props.columns,
    {
      header: t('staff.state'),
      cell: (row) => (
        <>
          {word(states, shownStatus(row.status, row))}
          {row.decidedBy !== null && <small>{row.decidedBy.name}</small>}
        </>
      ),
    },
    {
      header: t('shell.actions'),
      isUnnamed: true,
      cell: (row) => row.status === 'proposed' && action(row),
    },
  ];
  return (
    <DataTable
      caption={props.caption ?? t('staff.changes')}
      columns={columns}
      list={list}
      none={props.none ?? t('staff.noChanges')}
      onOpen={onOpen}
      isDense
    />
  );
}
