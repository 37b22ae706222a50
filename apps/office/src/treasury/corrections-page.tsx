import { useState } from 'react';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { withAsset } from '../reviews/amounts.ts';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import { Decision, ProposalState } from './decision.tsx';
import { CauseLink, More, useEmptyText } from './parts.tsx';
import { ProposeCorrection } from './propose-correction.tsx';
import { type Correction, refreshTreasury, useCorrections, useMayDecide } from './queries.ts';
import css from './treasury.module.css';

/** "+12.50 USDT": the direction is shown by a sign, not by colour alone. */
const signed = ({ amount, asset }: Correction) =>
  `${amount.startsWith('-') ? '' : '+'}${withAsset(amount, asset)}`;

/** Corrections of balances: proposed by one person, approved by another, then shown in the customer's fund log. */
export default function CorrectionsPage() {
  const { t, tag } = useText();
  const list = useCorrections();
  const { mayPropose } = useMayDecide();
  const [isProposing, setProposing] = useState(false);
  const columns: Column<Correction>[] = [
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.proposedAt, tag) },
    { id: 'by', header: t('staff.proposedBy'), cell: ({ row }) => row.original.proposedBy.name },
    {
      id: 'id',
      header: t('ledger.number'),
      cell: ({ row }) => <CauseLink cause={`correction:${row.original.id}`} />,
    },
    {
      id: 'customer',
      header: t('review.customer'),
      cell: ({ row: { original } }) => (
        <Link href={`~/customers/${original.customerId}`}>
          {original.account} ({original.customerId})
        </Link>
      ),
    },
    {
      id: 'amount',
      header: t('review.amount'),
      cell: ({ row }) => signed(row.original),
      meta: { isNumber: true },
    },
    {
      id: 'reason',
      header: t('staff.reason'),
      cell: ({ row }) => (
        <div className={css.reason}>
          {row.original.reason}
          <Reversed correction={row.original} />
        </div>
      ),
    },
    {
      id: 'state',
      header: t('staff.state'),
      cell: ({ row: { original } }) => <ProposalState status={original.status} by={original.decidedBy} />,
    },
    {
      id: 'act',
      header: () => <span className="sr">{t('shell.actions')}</span>,
      cell: ({ row: { original } }) => original.status === 'proposed' && <Decide correction={original} />,
    },
  ];
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t('page.corrections')}</h1>
        {mayPropose && <Action onClick={() => setProposing(true)}>{t('correction.propose')}</Action>}
      </div>
      <p className={css.lead}>{t('correction.text')}</p>
      <DataTable
        caption={t('page.corrections')}
        columns={columns}
        rows={list.rows}
        idOf={({ id }) => id}
        empty={useEmptyText(list, t('correction.none'))}
      />
      <More query={list} />
      <ProposeCorrection isOpen={isProposing} onClose={() => setProposing(false)} />
    </div>
  );
}

function Reversed({ correction: { reversedDepositId } }: { correction: Correction }) {
  const { t } = useText();
  if (reversedDepositId === null) return null;
  return <span className={css.was}>{t('correction.reversedNumber', { id: reversedDepositId })}</span>;
}

function Decide({ correction }: { correction: Correction }) {
  const { t } = useText();
  const amount = signed(correction);
  const { id } = correction;
  const approve = async () => {
    const { status } = await post('correction/approve', { id });
    useToast.getState().show(t(status === 'done' ? 'correction.done' : 'decision.oneMore', { amount }));
    await refreshTreasury();
  };
  const refuse = async () => {
    await post('correction/refuse', { id });
    useToast.getState().show(t('staff.refused'));
    await refreshTreasury();
  };
  return (
    <Decision
      subject={t('correction.number', { id })}
      proposedBy={correction.proposedBy.id}
      approve={t('correction.approve', { amount })}
      onApprove={approve}
      onRefuse={refuse}
    >
      <dl className={css.stated}>
        <dt>{t('review.customer')}</dt>
        <dd>
          {correction.account} ({correction.customerId})
        </dd>
        <dt>{t('review.amount')}</dt>
        <dd>{amount}</dd>
        <dt>{t('staff.reason')}</dt>
        <dd>
          {correction.reason}
          <Reversed correction={correction} />
        </dd>
        <dt>{t('staff.proposedBy')}</dt>
        <dd>{correction.proposedBy.name}</dd>
      </dl>
    </Decision>
  );
}
