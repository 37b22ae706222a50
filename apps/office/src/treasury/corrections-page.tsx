import { useState } from 'react';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Decision, Stated } from '../proposals/decision.tsx';
import { ProposalsTable } from '../proposals/proposals-table.tsx';
import { useMayDecide } from '../proposals/rights.ts';
import type { Column } from '../shell/data-table.tsx';
import { Action } from '../shell/form.tsx';
import { withAsset } from '../state/amounts.ts';
import { CauseLink } from './parts.tsx';
import { ProposeCorrection } from './propose-correction.tsx';
import { type Correction, refreshTreasury, useCorrections } from './queries.ts';
import css from './treasury.module.css';

/** "+12.50 USDT": the direction is shown by a sign, not by colour alone. */
const signed = ({ amount, asset }: Correction) =>
  `${amount.startsWith('-') ? '' : '+'}${withAsset(amount, asset)}`;

/** Corrections of balances: proposed by one person, approved by another, then shown in the customer's fund log. */
export default function CorrectionsPage() {
  const { t } = useText();
  const { mayPropose } = useMayDecide();
  const [isProposing, setProposing] = useState(false);
  const columns: Column<Correction>[] = [
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
  ];
  return (
    <div className={`page ${css.page}`}>
      <div className="head">
        <h1>{t('page.corrections')}</h1>
        {mayPropose && <Action onClick={() => setProposing(true)}>{t('correction.propose')}</Action>}
      </div>
      <p className="secondary measure">{t('correction.text')}</p>
      <ProposalsTable
        caption={t('page.corrections')}
        none={t('correction.none')}
        list={useCorrections()}
        columns={columns}
        action={(correction) => <Decide correction={correction} />}
      />
      <ProposeCorrection isOpen={isProposing} onClose={() => setProposing(false)} />
    </div>
  );
}

function Reversed({ correction: { reversedDepositId } }: { correction: Correction }) {
  const { t } = useText();
  if (reversedDepositId === null) return null;
  return <small>{t('correction.reversedNumber', { id: reversedDepositId })}</small>;
}

function Decide({ correction }: { correction: Correction }) {
  const { t } = useText();
  const amount = signed(correction);
  const { id } = correction;
  const decide = async (verdict: 'agree' | 'refuse') => {
    if (verdict === 'agree') return post('correction/approve', { id });
    await post('correction/refuse', { id });
    return { status: 'refused' } as const;
  };
  const reason = (
    <>
      {correction.reason}
      <Reversed correction={correction} />
    </>
  );
  return (
    <Decision
      proposal={correction}
      subject={t('correction.number', { id })}
      approve={t('correction.approve', { amount })}
      decide={decide}
      refresh={refreshTreasury}
      done={t('correction.done', { amount })}
      amount={amount}
    >
      <Stated name={t('review.customer')} value={`${correction.account} (${correction.customerId})`} />
      <Stated name={t('review.amount')} value={amount} />
      <Stated name={t('staff.reason')} value={reason} />
      <Stated name={t('staff.proposedBy')} value={correction.proposedBy.name} />
    </Decision>
  );
}
