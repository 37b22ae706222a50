import type { OfficeData } from '@fairtick/protocol/office';
import { post } from '../../api/client.ts';
import { useText } from '../../messages/text-context.tsx';
import { Dialog, focusFirst } from '../../shell/dialog.tsx';
import { FormEnd, formClass, SelectField, TextField, useForm } from '../../shell/form.tsx';
import { useToast } from '../../state/toast.ts';
import { refreshReview } from '../queries.ts';

interface EndProps {
  readonly data: OfficeData<'withdrawal/detail'>;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A cashier states whether a payment with an unknown end went out, and the evidence. An approver decides. */
export function EndDialog(props: EndProps) {
  const { t } = useText();
  return (
    <Dialog title={t('withdrawal.sayEnd')} isOpen={props.isOpen} onClose={props.onClose}>
      <EndForm {...props} />
    </Dialog>
  );
}

function EndForm({ data, onClose }: EndProps) {
  const { t } = useText();
  const show = useToast((state) => state.show);
  const form = useForm({ draft: `end ${data.id}`, values: { outcome: '', reference: '', note: '' } });
  const { outcome, reference, note } = form.values;
  const propose = async () => {
    await post('withdrawal/proposeEnd', {
      id: data.id,
      outcome: outcome === 'sent' ? 'sent' : 'not_sent',
      reference: outcome === 'sent' ? reference.trim() : undefined,
      note: note.trim(),
    });
    onClose();
    show(t('withdrawal.doneEndProposed'));
    await refreshReview('withdrawal', data.id);
  };
  const isWhole =
    note.trim() !== '' && (outcome === 'not_sent' || (outcome === 'sent' && reference.trim() !== ''));
  return (
    <form className={formClass} onSubmit={form.onSubmit(propose)}>
      <SelectField
        label={t('withdrawal.endSaid')}
        hint={t('withdrawal.endHint')}
        ref={focusFirst}
        {...form.field('outcome')}
      >
        <option value="">{t('refuse.choose')}</option>
        <option value="sent">{t('withdrawal.end.sent')}</option>
        <option value="not_sent">{t('withdrawal.end.not_sent')}</option>
      </SelectField>
      {outcome === 'sent' && (
        <TextField label={t('withdrawal.referenceField')} maxLength={200} {...form.field('reference')} />
      )}
      <TextField label={t('withdrawal.endNote')} maxLength={500} {...form.field('note')} />
      <FormEnd form={form} onCancel={onClose} disabled={!isWhole}>
        {t('withdrawal.proposeEnd')}
      </FormEnd>
    </form>
  );
}
