import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { FormEnd, formClass, TextField, useForm } from '../shell/form.tsx';
import { OneTimePassword } from './one-time-password.tsx';
import { refreshStaff } from './queries.ts';

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
  const form = useForm({ values: { account: '', name: '', person: '' } });
  const send = async () => {
    const { oneTimePassword } = await post('staff/create', form.values);
    await refreshStaff();
    props.onCreated(form.values.account, oneTimePassword);
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <p className="secondary">{t('staff.createText')}</p>
      <TextField label={t('session.account')} {...form.field('account')} />
      <TextField label={t('staff.name')} {...form.field('name')} />
      <TextField label={t('staff.person')} hint={t('staff.personHint')} {...form.field('person')} />
      <FormEnd form={form} onCancel={props.onCancel}>
        {t('staff.createSend')}
      </FormEnd>
    </form>
  );
}
