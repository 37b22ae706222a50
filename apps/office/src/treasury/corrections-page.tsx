import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Field, Proposals } from '../proposals/proposals.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { withAsset } from '../state/amounts.ts';
import { CauseLink, Reason } from './parts.tsx';
import { type Correction, refreshTreasury, useAssets, useCorrections } from './queries.ts';
import css from './treasury.module.css';

/** "+12.50 USDT": the direction is shown by a sign, not by colour alone. */
const signed = ({ amount, asset }: Correction) =>
  `${amount.startsWith('-') ? '' : '+'}${withAsset(amount, asset)}`;

/** Corrections of balances: proposed by one person, approved by another, then shown in the customer's fund log. */
export default function CorrectionsPage() {
  const { t } = useText();
  const has = useHas();
  const fields: readonly Field<Correction>[] = [
    { label: t('ledger.number'), column: ({ id }) => <CauseLink cause={`correction:${id}`} /> },
    {
      label: t('review.customer'),
      show: ({ account, customerId }) => `${account} (${customerId})`,
      column: ({ account, customerId }) => (
        <Link href={`~/customers/${customerId}`}>
          {account} ({customerId})
        </Link>
      ),
    },
    { label: t('review.amount'), show: signed, isNumber: true },
    {
      label: t('staff.reason'),
      show: (correction) => <WithReversed correction={correction} />,
      column: (correction) => (
        <Reason>
          <WithReversed correction={correction} />
        </Reason>
      ),
    },
  ];
  return (
    <div className={`page ${css.page}`}>
      <div className="head">
        <h1>{t('page.corrections')}</h1>
        {has('cashier') && <Propose />}
      </div>
      <p className="secondary measure">{t('correction.text')}</p>
      <Proposals
        caption={t('page.corrections')}
        none={t('correction.none')}
        list={useCorrections()}
        fields={fields}
        decision={(correction) => {
          const { id } = correction;
          const amount = signed(correction);
          return {
            subject: t('correction.number', { id }),
            approve: t('correction.approve', { amount }),
            decide: (verdict) => decide(id, verdict),
            refresh: refreshTreasury,
            done: t('correction.done', { amount }),
            amount,
          };
        }}
      />
    </div>
  );
}

async function decide(id: string, verdict: 'agree' | 'refuse') {
  if (verdict === 'agree') return post('correction/approve', { id });
  await post('correction/refuse', { id });
  return { status: 'refused' } as const;
}

function WithReversed({ correction: { reason, reversedDepositId } }: { correction: Correction }): ReactNode {
  const { t } = useText();
  if (reversedDepositId === null) return reason;
  return (
    <>
      {reason}
      <small>{t('correction.reversedNumber', { id: reversedDepositId })}</small>
    </>
  );
}

/** Proposing moves no money: another person must approve exactly this. Practice money can't be corrected. */
function Propose() {
  const { t } = useText();
  const assets = useAssets();
  return (
    <FormAction
      label={t('correction.propose')}
      draft="correction"
      values={{ customerId: '', asset: '', direction: 'up', amount: '', reason: '', reversedDepositId: '' }}
      inputs={({ direction }) => [
        { name: 'customerId', label: t('ledger.customerNumber'), kind: 'digits' },
        [
          {
            name: 'direction',
            label: t('correction.direction'),
            choices: ['up', 'down'],
            nameOf: (one) => t(one === 'up' ? 'correction.up' : 'correction.down'),
          },
          { name: 'asset', label: t('review.asset'), choices: assets, none: t('staff.choose') },
        ],
        { name: 'amount', label: t('review.amount'), kind: 'amount' },
        { name: 'reason', label: t('staff.reason'), hint: t('correction.reasonHint') },
        direction === 'down' && {
          name: 'reversedDepositId',
          label: t('correction.reversed'),
          hint: t('correction.reversedHint'),
          kind: 'digits',
          isOptional: true,
        },
      ]}
      send={(body) => post('correction/propose', body)}
      refresh={refreshTreasury}
    />
  );
}
