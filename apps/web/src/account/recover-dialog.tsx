import { Button, Field, Segments } from '@fairtick/ui';
import { useState } from 'react';
import { post, RefusedError } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/form-parts.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { type Faults, useForm } from '../parts/use-form.ts';
import { useToast } from '../state/toast.ts';
import css from './account.module.css';
import { passwordFaults } from './account-forms.ts';

type Way = 'code' | 'support';

/** Recovers a forgotten password: at once with a recovery code, or with support's help. */
export function RecoverDialog({
  account,
  isOpen,
  onClose,
}: {
  account: string;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { t } = useText();
  const [way, setWay] = useState<Way>('code');
  return (
    <Dialog title={t('account.forgot')} isOpen={isOpen} onClose={onClose}>
      <Segments
        label={t('account.forgot')}
        name="recover-way"
        value={way}
        onChange={setWay}
        choices={[
          { value: 'code', label: t('account.byCode') },
          { value: 'support', label: t('account.bySupport') },
        ]}
      />
      {way === 'code' ? (
        <ByCode first={account} onDone={onClose} />
      ) : (
        <BySupport first={account} onDone={onClose} />
      )}
    </Dialog>
  );
}

interface FieldState {
  readonly value: string;
  readonly fault: string | null;
  readonly onChange: (value: string) => void;
}

export function AccountField({ value, fault, onChange }: FieldState) {
  const { t } = useText();
  return (
    <Field label={t('account.account')} fault={fault}>
      {(ids) => (
        <input
          {...ids}
          value={value}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

function ByCode({ first, onDone }: { first: string; onDone: () => void }) {
  const { t } = useText();
  const [account, setAccount] = useState(first);
  const [recoveryCode, setCode] = useState('');
  const [password, setPassword] = useState('');
  const [confirmPassword, setConfirm] = useState('');
  // Null until the server asks for a second factor: with one on, a recovery code alone sets no password.
  const [otp, setOtp] = useState<string | null>(null);
  const form = useForm<'account' | 'recoveryCode' | 'password' | 'confirmPassword' | 'otp'>({
    check: (): Faults<'account' | 'recoveryCode' | 'password' | 'confirmPassword' | 'otp'> => ({
      ...(otp?.trim() === '' ? { otp: 'fault.otpRequired' } : {}),
      ...(account.trim() === '' ? { account: 'fault.accountRequired' } : {}),
      ...(recoveryCode.trim() === '' ? { recoveryCode: 'fault.codeRequired' } : {}),
      ...passwordFaults({ password, confirmPassword }),
    }),
  });
  const send = async () => {
    try {
      await post('user/recover', {
        account: account.trim(),
        recoveryCode: recoveryCode.trim(),
        password,
        confirmPassword,
        otp: otp?.trim(),
      });
    } catch (error) {
      if (!(error instanceof RefusedError && error.code === 'OTP_REQUIRED' && otp === null)) throw error;
      return setOtp('');
    }
    useToast.getState().show(t('shell.modified'));
    onDone();
  };
  return (
    <form className={css.form} onSubmit={form.onSubmit(send)} noValidate>
      <AccountField
        value={account}
        fault={form.faultOf('account')}
        onChange={(value) => {
          form.clear('account');
          setAccount(value);
        }}
      />
      <Field
        label={t('account.recoveryCode')}
        hint={t('account.recoveryCodeHint')}
        fault={form.faultOf('recoveryCode')}
      >
        {(ids) => (
          <input
            {...ids}
            value={recoveryCode}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={100}
            onChange={(event) => {
              form.clear('recoveryCode');
              setCode(event.target.value);
            }}
          />
        )}
      </Field>
      <PasswordField
        label={t('account.newPassword')}
        hint={t('account.passwordRule')}
        value={password}
        autoComplete="new-password"
        fault={form.faultOf('password')}
        onChange={(value) => {
          form.clear('password');
          setPassword(value);
        }}
      />
      <PasswordField
        label={t('account.confirmPassword')}
        value={confirmPassword}
        autoComplete="new-password"
        fault={form.faultOf('confirmPassword')}
        onChange={(value) => {
          form.clear('confirmPassword');
          setConfirm(value);
        }}
      />
      {otp !== null && (
        <TextField
          label={t('reauth.otp')}
          value={otp}
          fault={form.faultOf('otp')}
          maxLength={40}
          autoComplete="one-time-code"
          onChange={(value) => {
            form.clear('otp');
            setOtp(value);
          }}
        />
      )}
      <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
        {t('account.setNewPassword')}
      </Button>
    </form>
  );
}

function BySupport({ first, onDone }: { first: string; onDone: () => void }) {
  const { t } = useText();
  const [account, setAccount] = useState(first);
  const [contact, setContact] = useState('');
  const [text, setText] = useState('');
  const form = useForm<'account' | 'contact' | 'text'>({
    check: (): Faults<'account' | 'contact' | 'text'> => ({
      ...(account.trim() === '' ? { account: 'fault.accountRequired' } : {}),
      ...(contact.trim() === '' ? { contact: 'fault.formIncomplete' } : {}),
      ...(text.trim() === '' ? { text: 'fault.formIncomplete' } : {}),
    }),
  });
  const send = async () => {
    await post('user/recoverRequest', {
      account: account.trim(),
      contact: contact.trim(),
      text: text.trim(),
    });
    useToast.getState().show(t('shell.submitted'));
    onDone();
  };
  return (
    <form className={css.form} onSubmit={form.onSubmit(send)} noValidate>
      <p className={css.text}>{t('account.supportNote')}</p>
      <AccountField
        value={account}
        fault={form.faultOf('account')}
        onChange={(value) => {
          form.clear('account');
          setAccount(value);
        }}
      />
      <ContactFields
        contact={{
          value: contact,
          fault: form.faultOf('contact'),
          onChange: (value) => {
            form.clear('contact');
            setContact(value);
          },
        }}
        text={{
          value: text,
          fault: form.faultOf('text'),
          onChange: (value) => {
            form.clear('text');
            setText(value);
          },
        }}
      />
      <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
        {t('account.sendRequest')}
      </Button>
    </form>
  );
}

/** How support reaches the caller, and what happened. */
export function ContactFields({ contact, text }: { contact: FieldState; text: FieldState }) {
  const { t } = useText();
  return (
    <>
      <Field label={t('account.contact')} hint={t('account.contactHint')} fault={contact.fault}>
        {(ids) => (
          <input
            {...ids}
            value={contact.value}
            maxLength={200}
            onChange={(event) => contact.onChange(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('account.whatHappened')} fault={text.fault}>
        {(ids) => (
          <textarea
            {...ids}
            value={text.value}
            rows={4}
            maxLength={2000}
            onChange={(event) => text.onChange(event.target.value)}
          />
        )}
      </Field>
    </>
  );
}
