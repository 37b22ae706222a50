import { amountTyped, readDigits } from '@fairtick/money';
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
import { AmountField, DigitsField } from '../shell/number-fields.tsx';
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
    const reversed = values.direction === 'down' ? readDigits(reversedDepositId) : '';
    await post('correction/propose', {
      ...others,
      ...(reversed ? { reversedDepositId: reversed } : {}),
      amount: amountTyped(values.amount) ?? '',
      customerId: readDigits(values.customerId) ?? '',
    });
    await refreshTreasury();
    useToast.getState().show(t('decision.proposed'));
    onClose();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <DigitsField label={t('ledger.customerNumber')} {...field('customerId')} />
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
      <AmountField label={t('review.amount')} {...field('amount')} />
      <TextField label={t('staff.reason')} hint={t('correction.reasonHint')} {...field('reason')} />
      {values.direction === 'down' && (
        <DigitsField
          label={t('correction.reversed')}
          hint={t('correction.reversedHint')}
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
