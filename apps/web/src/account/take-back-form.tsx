import { Button } from '@fairtick/ui';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { type Faults, useForm } from '../shell/use-form.ts';
import { useToast } from '../state/toast.ts';
import css from './account.module.css';
import { FactorField } from './factor-field.tsx';
import { Failure } from './form-parts.tsx';
import { PasswordField } from './password-field.tsx';
import { AccountField, ContactFields } from './recover-dialog.tsx';

type Name = 'account' | 'oldPassword' | 'otp' | 'contact' | 'text';
const EMPTY = { oldPassword: '', otp: '', contact: '', text: '' };

/** Claims an account with what was valid before: the password and a former second factor or recovery code. */
export default function TakeBackForm({ first, onDone }: { first: string; onDone: () => void }) {
  const { t } = useText();
  const [fields, setFields] = useState<Readonly<Record<Name, string>>>({ ...EMPTY, account: first });
  const account = fields.account.trim();
  const send = async (proof: { otp?: string; passkey?: string }) => {
    const { oldPassword, contact, text } = fields;
    await post('user/takeBack', {
      account,
      oldPassword,
      contact: contact.trim(),
      text: text.trim(),
      ...proof,
    });
    useToast.getState().show(t('takeBack.done'));
    onDone();
  };
  const form = useForm<Name>({
    shows: 'all',
    check: (): Faults<Name> => ({
      ...(account === '' ? { account: 'fault.accountRequired' } : {}),
      ...(fields.oldPassword === '' ? { oldPassword: 'fault.passwordRequired' } : {}),
      ...(fields.otp.trim() === '' ? { otp: 'fault.otpRequired' } : {}),
      ...(fields.contact.trim() === '' ? { contact: 'fault.formIncomplete' } : {}),
      ...(fields.text.trim() === '' ? { text: 'fault.formIncomplete' } : {}),
    }),
  });
  const field = (name: Name) => ({
    value: fields[name],
    fault: form.faultOf(name),
    onChange: (value: string) => {
      form.clear(name);
      setFields((before) => ({ ...before, [name]: value }));
    },
  });
  const otp = field('otp');
  return (
    <form
      className={css.form}
      onSubmit={form.onSubmit(() => send({ otp: fields.otp.trim() }))}
      noValidate
      style={{ marginTop: 4 }}
    >
      <p className={css.text}>{t('takeBack.lead')}</p>
      <AccountField {...field('account')} />
      <PasswordField
        label={t('takeBack.oldPassword')}
        hint={t('takeBack.oldPasswordHint')}
        autoComplete="current-password"
        {...field('oldPassword')}
      />
      <ContactFields contact={field('contact')} text={field('text')} />
      <FactorField
        otp={otp.value}
        fault={otp.fault}
        onChange={otp.onChange}
        label={t('takeBack.otp')}
        hint={t('takeBack.otpHint')}
        askOptions={() => post('user/takeBackOptions', { account, oldPassword: fields.oldPassword })}
        onPasskey={(passkey) => send({ passkey })}
      />
      <Failure text={form.fault} />
      <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
        {t('takeBack.send')}
      </Button>
    </form>
  );
}
