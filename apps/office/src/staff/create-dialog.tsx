import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, buttonsClass, FormFault, formClass, TextField, useForm } from '../shell/form.tsx';
import { OneTimePassword } from './one-time-password.tsx';
import { refreshStaff } from './queries.ts';
import css from './staff.module.css';

const EMPTY = { account: '', name: '', person: '' };

/** Creates an account that stays off until another administrator approves. */
export function CreateDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useText();
  const [secret, setSecret] = useState<{ account: string; password: string } | null>(null);
  const created = (account: string, password: string) => {
    setSecret({ account, password });
    onClose();
  };
  return (
    <>
      <Dialog title={t('staff.create')} isOpen={isOpen} onClose={onClose}>
        <CreateForm onCreated={created} onCancel={onClose} />
      </Dialog>
      <OneTimePassword secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}

function CreateForm(props: { onCreated: (account: string, password: string) => void; onCancel: () => void }) {
  const { t } = useText();
  const [values, setValues] = useState(EMPTY);
  const form = useForm();
  const field = (name: keyof typeof EMPTY) => ({
    name,
    required: true,
    autoComplete: 'off',
    value: values[name],
    fault: form.faultOf(name),
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
  });
  const send = async () => {
    const { oneTimePassword } = await post('staff/create', values);
    await refreshStaff();
    props.onCreated(values.account, oneTimePassword);
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <p className={css.lead}>{t('staff.createText')}</p>
      <TextField label={t('session.account')} {...field('account')} />
      <TextField label={t('staff.name')} {...field('name')} />
      <TextField label={t('staff.person')} hint={t('staff.personHint')} {...field('person')} />
      <FormFault text={form.fault} />
      <div className={buttonsClass}>
        <Action onClick={props.onCancel}>{t('shell.cancel')}</Action>
        <Action look="gold" type="submit" disabled={form.isBusy}>
          {t('staff.createSend')}
        </Action>
      </div>
    </form>
  );
}
