import { amountTyped } from '@fairtick/money';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Decision, Stated } from '../proposals/decision.tsx';
import { ProposalsTable } from '../proposals/proposals-table.tsx';
import { useMayDecide } from '../proposals/rights.ts';
import type { Column } from '../shell/data-table.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, FormEnd, formClass, SelectField, TextField, useForm } from '../shell/form.tsx';
import { AmountField } from '../shell/number-fields.tsx';
import { readable, withAsset } from '../state/amounts.ts';
import { useToast } from '../state/toast.ts';
import { type CapitalChange, refreshTreasury, useCapitalChanges, useLimits } from './queries.ts';
import css from './treasury.module.css';

/** Capital that the house brings from outside: one says how much came and by which evidence, another books it. */
export function CapitalTab() {
  const { t } = useText();
  const { mayPropose } = useMayDecide();
  const [isProposing, setProposing] = useState(false);
  const columns: Column<CapitalChange>[] = [
    { id: 'asset', header: t('review.asset'), cell: ({ row }) => <strong>{row.original.asset}</strong> },
    {
      id: 'amount',
      header: t('review.amount'),
      cell: ({ row }) => readable(row.original.amount),
      meta: { isNumber: true },
    },
    { id: 'evidence', header: t('capital.evidence'), cell: ({ row }) => row.original.evidence },
    {
      id: 'note',
      header: t('staff.reason'),
      cell: ({ row }) => <div className={css.reason}>{row.original.note}</div>,
    },
  ];
  return (
    <>
      <p className="secondary measure">{t('capital.text')}</p>
      {mayPropose && (
        <p>
          <Action onClick={() => setProposing(true)}>{t('capital.propose')}</Action>
        </p>
      )}
      <ProposalsTable
        list={useCapitalChanges()}
        columns={columns}
        caption={t('ledgerTab.capital')}
        action={(change) => <Decide change={change} />}
      />
      <Dialog title={t('capital.propose')} isOpen={isProposing} onClose={() => setProposing(false)}>
        {isProposing && <ProposeForm onClose={() => setProposing(false)} />}
      </Dialog>
    </>
  );
}

function Decide({ change }: { change: CapitalChange }) {
  const { t } = useText();
  const { id, asset, evidence, note, proposedBy } = change;
  const amount = withAsset(change.amount, asset);
  return (
    <Decision
      proposal={change}
      subject={t('capital.change', { id })}
      approve={t('capital.approve', { amount })}
      decide={(verdict) => post('capital/decide', { id, verdict })}
      refresh={refreshTreasury}
      amount={amount}
    >
      <Stated name={t('review.amount')} value={amount} />
      <Stated name={t('capital.evidence')} value={evidence} />
      <Stated name={t('staff.reason')} value={note} />
      <Stated name={t('staff.proposedBy')} value={proposedBy.name} />
    </Decision>
  );
}

function ProposeForm({ onClose }: { onClose: () => void }) {
  const { t } = useText();
  const form = useForm({ values: { asset: '', amount: '', evidence: '', note: '' } });
  const assets = useLimits().data?.map(({ asset }) => asset) ?? [];
  const send = async () => {
    await post('capital/propose', { ...form.values, amount: amountTyped(form.values.amount) ?? '' });
    await refreshTreasury();
    useToast.getState().show(t('decision.proposed'));
    onClose();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <SelectField label={t('review.asset')} {...form.field('asset')}>
        <option value="">{t('staff.choose')}</option>
        {assets.map((asset) => (
          <option key={asset}>{asset}</option>
        ))}
      </SelectField>
      <AmountField label={t('review.amount')} {...form.field('amount')} />
      <TextField label={t('capital.evidence')} hint={t('capital.evidenceHint')} {...form.field('evidence')} />
      <TextField label={t('staff.reason')} {...form.field('note')} />
      <FormEnd form={form} onCancel={onClose}>
        {t('staff.propose')}
      </FormEnd>
    </form>
  );
}
