import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Decision, Stated } from '../proposals/decision.tsx';
import { ProposalsTable } from '../proposals/proposals-table.tsx';
import { useMayDecide } from '../proposals/rights.ts';
import type { Column } from '../shell/data-table.tsx';
import { type EarningChange, type EarningRate, refreshTreasury, useEarningChanges } from './queries.ts';
import { ratePercent } from './rate-text.ts';
import css from './treasury.module.css';

/** The proposals of rates and their outcomes. */
export function EarningChanges({ rates }: { rates: readonly EarningRate[] }) {
  const { t } = useText();
  const columns: Column<EarningChange>[] = [
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
  ];
  return (
    <section>
      <h2>{t('staff.changes')}</h2>
      <ProposalsTable
        list={useEarningChanges()}
        columns={columns}
        action={(change) => <Decide change={change} rates={rates} />}
      />
    </section>
  );
}

function Decide({ change, rates }: { change: EarningChange; rates: readonly EarningRate[] }) {
  const { t } = useText();
  const { mayApprove, mayProposeRate } = useMayDecide();
  const { id, asset, from } = change;
  const rate = ratePercent(change.annualRate);
  const now = rates.find((row) => row.asset === asset && row.state === 'current');
  return (
    <Decision
      proposal={change}
      subject={t('earning.changeOf', { id, asset })}
      mayRefuse={mayApprove || mayProposeRate}
      approve={t('earning.approve', { rate, day: from })}
      decide={(verdict) => post('earning/decide', { id, verdict })}
      refresh={refreshTreasury}
    >
      <Stated name={t('earning.rate')} value={rate} was={now ? ratePercent(now.annualRate) : null} />
      <Stated name={t('earning.from')} value={from} />
      <Stated name={t('staff.reason')} value={change.note} />
      <Stated name={t('staff.proposedBy')} value={change.proposedBy.name} />
    </Decision>
  );
}
