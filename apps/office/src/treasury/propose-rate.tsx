import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { FormEnd, formClass, SelectField, TextField, useForm } from '../shell/form.tsx';
import { AmountField } from '../shell/number-fields.tsx';
import { useToast } from '../state/toast.ts';
import { type EarningRate, refreshTreasury } from './queries.ts';
import { rateOfPercent } from './rate-text.ts';

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
  const form = useForm({ values: { ...EMPTY, from: soonest() } });
  const assets = [...new Set([...ASSETS, ...rates.map(({ asset }) => asset)])];
  const send = async () => {
    const { asset, percent, from, note } = form.values;
    await post('earning/propose', { asset, annualRate: rateOfPercent(percent), from, note });
    await refreshTreasury();
    useToast.getState().show(t('decision.proposed'));
    onClose();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <p className="note">{t('earning.rule', { day: soonest() })}</p>
      <SelectField label={t('review.asset')} {...form.field('asset')}>
        {assets.map((asset) => (
          <option key={asset}>{asset}</option>
        ))}
      </SelectField>
      <AmountField label={t('earning.percent')} {...form.field('percent', 'annualRate')} />
      <TextField label={t('earning.from')} type="date" min={soonest()} {...form.field('from')} />
      <TextField label={t('staff.reason')} {...form.field('note')} />
      <FormEnd form={form} onCancel={onClose}>
        {t('staff.propose')}
      </FormEnd>
    </form>
  );
}
