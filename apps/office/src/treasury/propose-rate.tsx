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
import { AmountField } from '../shell/number-fields.tsx';
import { useToast } from '../state/toast.ts';
import { type EarningRate, refreshTreasury } from './queries.ts';
import { rateOfPercent } from './rate-text.ts';
import css from './treasury.module.css';

/** Assets that can earn; a new one needs a migration. */
const ASSETS = ['USDT', 'USD', 'BTC', 'ETH'];
const DAY_MS = 86_400_000;
/** The earliest day that the database takes: a whole day lies between. */
const soonest = () => new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
const EMPTY = { asset: 'USDT', percent: '', from: '', note: '' };

export function ProposeRate(props: { isOpen: boolean; onClose: () => void; rates: readonly EarningRate[] }) {
  const { t } = useText();
  return (
    <Dialog title={t('earning.propose')} isOpen={props.isOpen} onClose={props.onClose}>
      {props.isOpen && <ProposeForm rates={props.rates} onClose={props.onClose} />}
    </Dialog>
  );
}

function ProposeForm({ rates, onClose }: { rates: readonly EarningRate[]; onClose: () => void }) {
  const { t } = useText();
  const [values, setValues] = useState({ ...EMPTY, from: soonest() });
  const form = useForm();
  const assets = [...new Set([...ASSETS, ...rates.map(({ asset }) => asset)])];
  const field = (name: keyof typeof values, wire: string = name) => ({
    name,
    required: true,
    value: values[name],
    fault: form.faultOf(wire),
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
  });
  const send = async () => {
    const { asset, percent, from, note } = values;
    await post('earning/propose', { asset, annualRate: rateOfPercent(percent), from, note });
    await refreshTreasury();
    useToast.getState().show(t('decision.proposed'));
    onClose();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <p className={css.quiet}>{t('earning.rule')}</p>
      <SelectField label={t('review.asset')} {...field('asset')}>
        {assets.map((asset) => (
          <option key={asset}>{asset}</option>
        ))}
      </SelectField>
      <AmountField label={t('earning.percent')} {...field('percent', 'annualRate')} />
      <TextField label={t('earning.from')} type="date" min={soonest()} {...field('from')} />
      <TextField label={t('staff.reason')} {...field('note')} />
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
