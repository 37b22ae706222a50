import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, buttonsClass, FormFault, formClass, SelectField, useForm } from '../shell/form.tsx';
import { refreshChats, useColleagues } from './queries.ts';

/** Gives a conversation to a colleague. */
export function HandOverDialog(props: { id: string; isOpen: boolean; onClose: () => void }) {
  const { t } = useText();
  const colleagues = useColleagues(props.isOpen).data ?? [];
  const [to, setTo] = useState('');
  const form = useForm();
  const handOver = async () => {
    await post('chat/handOver', { id: props.id, to });
    await refreshChats(props.id);
    props.onClose();
  };
  return (
    <Dialog title={t('chat.handOver')} isOpen={props.isOpen} onClose={props.onClose}>
      <form className={formClass} onSubmit={form.onSubmit(handOver)}>
        <SelectField
          label={t('chat.colleague')}
          required
          value={to}
          onChange={(event) => setTo(event.target.value)}
        >
          <option value="">{t('chat.chooseColleague')}</option>
          {colleagues.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <FormFault text={form.fault} />
        <div className={buttonsClass}>
          <Action onClick={props.onClose}>{t('shell.cancel')}</Action>
          <Action look="gold" type="submit" disabled={form.isBusy || to === ''}>
            {t('chat.handOver')}
          </Action>
        </div>
      </form>
    </Dialog>
  );
}
