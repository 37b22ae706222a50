import type { OfficeData } from '@fairtick/protocol/office';
import { post } from '../../api/client.ts';
import { useText } from '../../messages/text-context.tsx';
import { Dialog } from '../../shell/dialog.tsx';
import { DialogForm } from '../../shell/form-dialog.tsx';
import { refreshReview } from '../queries.ts';

/** A cashier states whether a payment with an unknown end went out, and the evidence. An approver decides. */
export function EndDialog({
  data: { id },
  isOpen,
  onClose,
}: {
  data: OfficeData<'withdrawal/detail'>;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { t } = useText();
  return (
    <Dialog title={t('withdrawal.sayEnd')} isOpen={isOpen} onClose={onClose}>
      <DialogForm
        draft={`end ${id}`}
        values={{ outcome: '', reference: '', note: '' }}
        inputs={({ outcome }) => [
          {
            name: 'outcome',
            label: t('withdrawal.endSaid'),
            hint: t('withdrawal.endHint'),
            none: t('refuse.choose'),
            choices: ['sent', 'not_sent'],
            nameOf: (one) => t(one === 'sent' ? 'withdrawal.end.sent' : 'withdrawal.end.not_sent'),
          },
          outcome === 'sent' && {
            name: 'reference',
            label: t('withdrawal.referenceField'),
            maxLength: 200,
          },
          { name: 'note', label: t('withdrawal.endNote'), maxLength: 500 },
        ]}
        send={(body) => post('withdrawal/proposeEnd', { id, ...body })}
        refresh={() => refreshReview('withdrawal', id)}
        submit={t('withdrawal.proposeEnd')}
        done={t('withdrawal.doneEndProposed')}
        onClose={onClose}
      />
    </Dialog>
  );
}
