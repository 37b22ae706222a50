import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { FormEnd, formClass, SelectField, useForm } from '../shell/form.tsx';
import { refreshChats, useColleagues } from './queries.ts';

/** Gives a conversation to a colleague. */
export function HandOverDialog(props: { id: string; isOpen: boolean; onClose: () => void }) {
  const { t } = useText();
  const colleagues = useColleagues(props.isOpen).data ?? [];
  const form = useForm({ values: { to: '' } });
  const { to } = form.values;
  const handOver = async () => {
    await post('chat/handOver', { id: props.id, to });
    await refreshChats(props.id);
    props.onClose();
  };
  return (
    <Dialog title={t('chat.handOver')} isOpen={props.isOpen} onClose={props.onClose}>
      <form className={formClass} onSubmit={form.onSubmit(handOver)}>
        <SelectField label={t('chat.colleague')} {...form.field('to')}>
          <option value="">{t('chat.chooseColleague')}</option>
          {colleagues.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <FormEnd form={form} onCancel={props.onClose}>
          {t('chat.handOver')}
        </FormEnd>
      </form>
    </Dialog>
  );
}
