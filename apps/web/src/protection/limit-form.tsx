import { amountTyped } from '@fairtick/money';
import type { Protection, UsedLimit } from '@fairtick/protocol';
import { Button, Field } from '@fairtick/ui';
import { post } from '../api/client.ts';
import { serverNow } from '../live/clock.ts';
import type { MessageId } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { type Fault, type Faults, useForm } from '../parts/use-form.ts';
import { formatAmount, formatDayMinute, isTooFine, usualDecimals } from '../state/format.ts';
import { amountNote, typedFault } from '../state/typed-amount.ts';
import { changeOf, DAY_MS, type Kind, type Period } from './limits-model.ts';
import css from './protection.module.css';

/** One limit; says before sending whether the change takes effect at once or a day later. */
export function LimitForm(props: {
  asset: string;
  kind: Kind;
  per: Period;
  limit: UsedLimit | undefined;
  onDone: (protection: Protection) => void;
}) {
  const { t, tag } = useText();
  const { asset, kind, per, limit } = props;
  const send = async (text: string) =>
    props.onDone(await post('protection/setLimit', { asset, kind, per, amount: text || undefined }));
  const form = useForm({
    values: { amount: '' },
    check: (values): Faults<'amount', MessageId | Fault> => {
      const amount = amountTyped(values.amount) ?? '';
      const unread = typedFault(values.amount);
      if (unread) return { amount: unread };
      if (amount === '') return { amount: 'fault.required' };
      if (!isTooFine(amount, asset)) return {};
      return { amount: { id: 'fault.tooManyDecimals', values: { asset, count: usualDecimals(asset) } } };
    },
  });
  const amount = amountTyped(form.values.amount) ?? '';
  const change = changeOf(amount, limit);
  return (
    <form className={css.form} onSubmit={form.onSubmit(() => send(amount))} noValidate>
      <Field
        label={t('limits.amount')}
        hint={
          amountNote(t, form.values.amount, asset) ??
          (limit ? t('limits.amountHint', { amount: `${formatAmount(limit.amount)} ${asset}` }) : undefined)
        }
        fault={form.faultOf('amount')}
        end={<span className="secondary">{asset}</span>}
      >
        {(ids) => (
          <input
            {...ids}
            inputMode="decimal"
            autoComplete="off"
            value={form.values.amount}
            onChange={form.field('amount').onChange}
          />
        )}
      </Field>
      <p className={`note mt-8 ${css.note}`} role="status">
        {amount !== '' && change === 'tighter' && t('limits.atOnce')}
        {amount !== '' &&
          change === 'looser' &&
          t('limits.afterDay', { time: formatDayMinute(serverNow() + DAY_MS, tag) })}
      </p>
      <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
        {t('limits.save')}
      </Button>
      {limit && (
        <div className={css.actions}>
          {limit.later && (
            <Button disabled={form.isBusy} onClick={() => form.send(() => send(limit.amount ?? ''))}>
              {t('limits.keep')}
            </Button>
          )}
          {limit.later?.amount !== null && (
            <Button disabled={form.isBusy} onClick={() => form.send(() => send(''))}>
              {t('limits.remove')}
            </Button>
          )}
        </div>
      )}
    </form>
  );
}
