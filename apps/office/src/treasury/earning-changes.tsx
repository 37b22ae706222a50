import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { formatTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import { Stated } from './channels-tab.tsx';
import { Decision, ProposalState } from './decision.tsx';
import { More, useEmptyText } from './parts.tsx';
import {
  type EarningChange,
  type EarningRate,
  refreshTreasury,
  useEarningChanges,
  useMayDecide,
} from './queries.ts';
import { ratePercent } from './rate-text.ts';
import css from './treasury.module.css';

/** The proposals of rates and their outcomes. */
export function EarningChanges({ rates }: { rates: readonly EarningRate[] }) {
  const { t, tag } = useText();
  const list = useEarningChanges();
  const columns: Column<EarningChange>[] = [
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.proposedAt, tag) },
    { id: 'by', header: t('staff.proposedBy'), cell: ({ row }) => row.original.proposedBy.name },
    { id: 'asset', header: t('review.asset'), cell: ({ row }) => <strong>{row.original.asset}</strong> },
    { id: 'from', header: t('earning.from'), cell: ({ row }) => row.original.from },
    {
      id: 'rate',
      header: t('earning.rate'),
      cell: ({ row }) => ratePercent(row.original.annualRate),
      meta: { isNumber: true },
    },
    {
      id: 'note',
      header: t('staff.reason'),
      cell: ({ row }) => <div className={css.reason}>{row.original.note}</div>,
    },
    {
      id: 'state',
      header: t('staff.state'),
      cell: ({ row: { original } }) => <ProposalState status={original.status} by={original.decidedBy} />,
    },
    {
      id: 'act',
      header: () => <span className="sr">{t('shell.actions')}</span>,
      cell: ({ row: { original } }) =>
        original.status === 'proposed' && <Decide change={original} rates={rates} />,
    },
  ];
  return (
    <section>
      <h2>{t('staff.changes')}</h2>
      <DataTable
        caption={t('staff.changes')}
        columns={columns}
        rows={list.rows}
        idOf={({ id }) => id}
        empty={useEmptyText(list, t('staff.noChanges'))}
      />
      <More query={list} />
    </section>
  );
}

function Decide({ change, rates }: { change: EarningChange; rates: readonly EarningRate[] }) {
  const { t } = useText();
  const { mayApprove, mayProposeRate } = useMayDecide();
  const { id, asset, from } = change;
  const rate = ratePercent(change.annualRate);
  const now = rates.find((row) => row.asset === asset && row.state === 'current');
  const decide = (verdict: 'agree' | 'refuse') => async () => {
    const { status } = await post('earning/decide', { id, verdict });
    const said = { done: 'staff.done', refused: 'staff.refused', proposed: 'decision.oneMore' } as const;
    useToast.getState().show(t(said[status], { amount: '' }));
    await refreshTreasury();
  };
  return (
    <Decision
      subject={t('earning.changeOf', { id, asset })}
      proposedBy={change.proposedBy.id}
      mayRefuse={mayApprove || mayProposeRate}
      approve={t('earning.approve', { rate, day: from })}
      onApprove={decide('agree')}
      onRefuse={decide('refuse')}
    >
      <dl className={css.stated}>
        <Stated name={t('earning.rate')} value={rate} was={now ? ratePercent(now.annualRate) : null} />
        <Stated name={t('earning.from')} value={from} was={null} />
        <Stated name={t('staff.reason')} value={change.note} was={null} />
        <Stated name={t('staff.proposedBy')} value={change.proposedBy.name} was={null} />
      </dl>
    </Decision>
  );
}
