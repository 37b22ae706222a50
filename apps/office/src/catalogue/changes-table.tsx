import { Link, useLocation } from 'wouter';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { useStep } from '../proposals/decision.tsx';
import { ProposalsTable } from '../proposals/proposals-table.tsx';
import type { Column } from '../shell/data-table.tsx';
import { formatTime } from '../state/format.ts';
import css from './catalogue.module.css';
import { type Change, useChanges } from './queries.ts';

/** Leads to the decision, in the name of the reader's step. */
function Step({ change }: { change: Change }) {
  const { t } = useText();
  const step = useStep(change);
  const has = useHas();
  if (!has('approver', 'catalogue')) return <span className="caption">{t('eyes.barred.role')}</span>;
  return <Link href={`/change/${change.id}`}>{t(step)}</Link>;
}

/** Changes of rules, newest first. */
export function ChangesTable() {
  const { t, word } = useText();
  const [, go] = useLocation();
  const columns: Column<Change>[] = [
    { header: t('staff.number'), cell: ({ id }) => id, isNumber: true },
    { header: t('catalogue.kind'), cell: ({ kind }) => word('rule', kind) },
    { header: t('catalogue.products'), cell: ({ products }) => products, isNumber: true },
    {
      header: t('catalogue.from'),
      cell: ({ effectiveAt }) => (effectiveAt === null ? t('catalogue.atOnce') : formatTime(effectiveAt)),
    },
    { header: t('catalogue.note'), cell: ({ note }) => <span className={css.wrap}>{note}</span> },
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
