import { amountTyped, readDigits } from '@fairtick/money';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { FormEnd, formClass, SelectField, TextField, useForm } from '../shell/form.tsx';
import { AmountField, DigitsField } from '../shell/number-fields.tsx';
import { useToast } from '../state/toast.ts';
import { refreshTreasury, useLimits } from './queries.ts';

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
  const form = useForm({ draft: 'correction', values: EMPTY });
  // Assets that can be withdrawn can be corrected; practice money can't.
  const assets = useLimits().data?.map(({ asset }) => asset) ?? [];
  const send = async () => {
    const { reversedDepositId, ...others } = form.values;
    const reversed = form.values.direction === 'down' ? readDigits(reversedDepositId) : '';
    await post('correction/propose', {
      ...others,
      ...(reversed ? { reversedDepositId: reversed } : {}),
      amount: amountTyped(form.values.amount) ?? '',
      customerId: readDigits(form.values.customerId) ?? '',
    });
    await refreshTreasury();
    useToast.getState().show(t('decision.proposed'));
    onClose();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <DigitsField label={t('ledger.customerNumber')} {...form.field('customerId')} />
      <div className="halves gap-12">
        <SelectField label={t('correction.direction')} {...form.field('direction')}>
          <option value="up">{t('correction.up')}</option>
          <option value="down">{t('correction.down')}</option>
        </SelectField>
        <SelectField label={t('review.asset')} {...form.field('asset')}>
          <option value="">{t('staff.choose')}</option>
          {assets.map((asset) => (
            <option key={asset}>{asset}</option>
          ))}
        </SelectField>
      </div>
      <AmountField label={t('review.amount')} {...form.field('amount')} />
      <TextField label={t('staff.reason')} hint={t('correction.reasonHint')} {...form.field('reason')} />
      {form.values.direction === 'down' && (
        <DigitsField
          label={t('correction.reversed')}
          hint={t('correction.reversedHint')}
          {...form.field('reversedDepositId')}
          required={false}
        />
      )}
      <FormEnd form={form} onCancel={onClose}>
        {t('staff.propose')}
      </FormEnd>
    </form>
  );
}
