import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import {
  Action,
  buttonsClass,
  FormFault,
  formClass,
  SelectField,
  TextField,
  useForm,
} from '../shell/form.tsx';
import { useToast } from '../state/toast.ts';
import { refreshTreasury, useLimits } from './queries.ts';
import css from './treasury.module.css';

const EMPTY = { customerId: '', asset: '', direction: 'up', amount: '', reason: '', reversedDepositId: '' };

export function ProposeCorrection({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useText();
  return (
    <Dialog title={t('correction.propose')} isOpen={isOpen} onClose={onClose}>
      <ProposeForm onClose={onClose} />
    </Dialog>
  );
}

/** Proposing moves no money: another person must approve exactly this. */
function ProposeForm({ onClose }: { onClose: () => void }) {
  const { t } = useText();
  const [values, setValues] = useState(EMPTY);
  const form = useForm();
  // Assets that can be withdrawn can be corrected; practice money can't.
  const assets = useLimits().data?.map(({ asset }) => asset) ?? [];
  const field = (name: keyof typeof EMPTY) => ({
    name,
    required: true,
    autoComplete: 'off',
    value: values[name],
    fault: form.faultOf(name),
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
  });
  const send = async () => {
    const { reversedDepositId, ...others } = values;
    const reversed = values.direction === 'down' ? reversedDepositId.trim() : '';
    await post('correction/propose', {
      ...others,
      ...(reversed === '' ? {} : { reversedDepositId: reversed }),
      amount: values.amount.trim(),
      customerId: values.customerId.trim(),
    });
    await refreshTreasury();
    useToast.getState().show(t('decision.proposed'));
    onClose();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <TextField label={t('ledger.customerNumber')} inputMode="numeric" {...field('customerId')} />
      <div className={css.pair}>
        <SelectField label={t('correction.direction')} {...field('direction')}>
          <option value="up">{t('correction.up')}</option>
          <option value="down">{t('correction.down')}</option>
        </SelectField>
        <SelectField label={t('review.asset')} {...field('asset')}>
          <option value="">{t('staff.choose')}</option>
          {assets.map((asset) => (
            <option key={asset}>{asset}</option>
          ))}
        </SelectField>
      </div>
      <TextField label={t('review.amount')} inputMode="decimal" {...field('amount')} />
      <TextField label={t('staff.reason')} hint={t('correction.reasonHint')} {...field('reason')} />
      {values.direction === 'down' && (
        <TextField
          label={t('correction.reversed')}
          hint={t('correction.reversedHint')}
          inputMode="numeric"
          {...field('reversedDepositId')}
          required={false}
        />
      )}
      <FormFault text={form.fault} />
      <div className={buttonsClass}>
        <Action onClick={onClose}>{t('shell.cancel')}</Action>
        <Action look="gold" type="submit" disabled={form.isBusy}>
          {t('staff.propose')}
        </Action>
      </div>
    </form>
  );
}
