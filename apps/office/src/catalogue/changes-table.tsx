import { Link, useLocation } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { useStep } from '../proposals/decision.tsx';
import { ProposalsTable } from '../proposals/proposals-table.tsx';
import { useMayDecide } from '../proposals/rights.ts';
import type { Column } from '../shell/data-table.tsx';
import { formatTime } from '../state/format.ts';
import css from './catalogue.module.css';
import { type Change, useChanges } from './queries.ts';

/** Leads to the decision, in the name of the reader's step. */
function Step({ change }: { change: Change }) {
  const { t } = useText();
  const step = useStep(change);
  const { mayApprove, mayProposeRate } = useMayDecide();
  if (!mayApprove && !mayProposeRate) return <span className="caption">{t('eyes.barred.role')}</span>;
  return <Link href={`/change/${change.id}`}>{t(step)}</Link>;
}

/** Changes of rules, newest first. */
export function ChangesTable() {
  const { t, word, tag } = useText();
  const [, go] = useLocation();
  const columns: Column<Change>[] = [
    { id: 'id', header: t('staff.number'), cell: ({ row }) => row.original.id, meta: { isNumber: true } },
    { id: 'kind', header: t('catalogue.kind'), cell: ({ row }) => word('rule', row.original.kind) },
    {
      id: 'products',
      header: t('catalogue.products'),
      cell: ({ row }) => row.original.products,
      meta: { isNumber: true },
    },
    {
      id: 'from',
      header: t('catalogue.from'),
      cell: ({ row: { original } }) =>
        original.effectiveAt === null ? t('catalogue.atOnce') : formatTime(original.effectiveAt, tag),
    },
    {
      id: 'note',
      header: t('catalogue.note'),
      cell: ({ row }) => <span className={css.wrap}>{row.original.note}</span>,
    },
  ];
  return (
    <ProposalsTable
      caption={t('catalogue.changes')}
      states="rulesState"
      list={useChanges()}
      columns={columns}
      action={(change) => <Step change={change} />}
      onOpen={({ id }) => go(`/change/${id}`)}
    />
  );
}
