import { amountTyped } from '@fairtick/money';
import type { EarningsSummary } from '@fairtick/protocol';
import { Button, Field, Notice } from '@fairtick/ui';
import { useQueryClient } from '@tanstack/react-query';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { useForm } from '../parts/use-form.ts';
import { formatAmount } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import { amountNote } from '../state/typed-amount.ts';
import { plainAmount } from '../wallet/parts/decimals.ts';
import { keyFor, useDraft, wasSent } from '../wallet/parts/draft.ts';
import parts from '../wallet/parts/parts.module.css';
import records from '../wallet/parts/records.module.css';
import { type Direction, errors, movable, reduce } from './earnings-model.ts';

const EMPTY = { amount: '' };

/** Moves money into or out of earnings. Without an answer the typed amount stays, and sending it again counts once. */
export function MoveForm({
  direction,
  summary,
  onDone,
}: {
  direction: Direction;
  summary: EarningsSummary;
  onDone: () => void;
}) {
  const { t } = useText();
  const client = useQueryClient();
  const { asset } = summary;
  const name = `earnings-${direction}-${asset}`;
  const { form, change, forget } = useDraft(name, reduce, EMPTY);
  const most = movable(summary, direction);
  const amount = amountTyped(form.amount) ?? '';
  const content = JSON.stringify([direction, asset, amount]);
  const sending = useForm({
    shows: 'unanswered',
    // A resend skips the check: if the first one arrived, the balance has changed. The server recognises it by its key.
    check: () => (wasSent(name, content) ? {} : errors(form, summary, direction)),
  });
  const send = async () => {
    const fields = { asset, amount };
    await post(direction === 'in' ? 'profit/transferIn' : 'profit/transferOut', fields, {
      idempotencyKey: keyFor(name, content),
    });
    forget();
    await client.invalidateQueries({ queryKey: ['earnings'] });
    useToast.getState().show(t('shell.submitted'));
    onDone();
  };
  const set = (text: string) => {
    sending.clear('amount');
    change(text);
  };
  return (
    <form className={records.dialogForm} onSubmit={sending.onSubmit(send)} noValidate>
      <Field
        label={t('earnings.amount')}
        hint={amountNote(t, form.amount, asset)}
        fault={sending.faultOf('amount')}
        aside={
          <span style={{ color: 'var(--ink-3)' }}>
            {t(direction === 'in' ? 'earnings.canMoveIn' : 'earnings.canMoveOut', {
              amount: formatAmount(most),
            })}
          </span>
        }
        end={
          <>
            <span className={`secondary ${parts.unit}`}>{asset}</span>
            {/[1-9]/.test(most) && (
              <button
                type="button"
                className={`reach ${parts.linkButton}`}
                style={{ marginRight: 0 }}
                onClick={() => set(plainAmount(most))}
              >
                {t('withdrawal.all')}
              </button>
            )}
          </>
        }
      >
        {(ids) => (
          <input
            {...ids}
            value={form.amount}
            inputMode="decimal"
            autoComplete="off"
            placeholder={t('earnings.amountHint')}
            onChange={(event) => set(event.target.value)}
          />
        )}
      </Field>
      <p className="secondary">{t(direction === 'in' ? 'earnings.inNote' : 'earnings.outNote')}</p>
      {sending.isUnanswered && (
        <Notice look="bad">{`${t('shell.networkError')} · ${t('earnings.unknown')}`}</Notice>
      )}
      <Button type="submit" look="gold" isBlock disabled={sending.isBusy}>
        {t(
          sending.isBusy
            ? 'wallet.sending'
            : sending.isUnanswered
              ? 'wallet.sendAgain'
              : direction === 'in'
                ? 'earnings.confirmIn'
                : 'earnings.confirmOut',
        )}
      </Button>
    </form>
  );
}
