import { amountTyped } from '@fairtick/money';
import type { EarningsSummary } from '@fairtick/protocol';
import { post } from '../api/client.ts';
import { queryClient } from '../api/query-client.tsx';
import { useText } from '../messages/text-context.tsx';
import { keyFor, useDraft, wasSent } from '../parts/draft.ts';
import type { Fault, Faults } from '../parts/use-form.ts';
import { formatAmount } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import { AmountField } from '../wallet/parts/amount-field.tsx';
import { SendButton } from '../wallet/parts/send-button.tsx';
import { amountFault, type Direction, movable } from './earnings-model.ts';

/** Moves money into or out of earnings. Without an answer the typed amount stays, and sending it again counts once. */
export function MoveForm(props: { direction: Direction; summary: EarningsSummary; onDone: () => void }) {
  const { direction, summary, onDone } = props;
  const { t } = useText();
  const { asset } = summary;
  const name = `earnings-${direction}-${asset}`;
  const sending = useDraft(name, {
    values: { amount: '' },
    shows: 'unanswered',
    // A resend skips the check: if the first one arrived, the balance has changed. The server recognises it by its key.
    check: (values): Faults<'amount', Fault> => {
      const fault = wasSent(name, content) ? null : amountFault(values.amount, summary, direction);
      return fault ? { amount: fault } : {};
    },
  });
  const form = sending.values;
  const most = movable(summary, direction);
  const amount = amountTyped(form.amount) ?? '';
  const content = JSON.stringify([direction, asset, amount]);
  const send = async () => {
    const fields = { asset, amount };
    await post(direction === 'in' ? 'profit/transferIn' : 'profit/transferOut', fields, {
      idempotencyKey: keyFor(name, content),
    });
    sending.forget();
    await queryClient.invalidateQueries({ queryKey: ['earnings'] });
    useToast.getState().show(t('shell.submitted'));
    onDone();
  };
  return (
    <form className="stack gap-16 mt-4" onSubmit={sending.onSubmit(send)} noValidate>
      <AmountField
        label={t('earnings.amount')}
        placeholder={t('earnings.amountHint')}
        aside={t(direction === 'in' ? 'earnings.canMoveIn' : 'earnings.canMoveOut', {
          amount: formatAmount(most),
        })}
        asset={asset}
        all={most}
        {...sending.field('amount')}
      />
      <p className="secondary">{t(direction === 'in' ? 'earnings.inNote' : 'earnings.outNote')}</p>
      <SendButton
        form={sending}
        word={direction === 'in' ? 'earnings.confirmIn' : 'earnings.confirmOut'}
        unknown="earnings.unknown"
      />
    </form>
  );
}
