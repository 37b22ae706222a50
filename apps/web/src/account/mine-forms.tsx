import { Button, Field } from '@fairtick/ui';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { OwnUsername } from '../parts/form-parts.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { type Faults, useForm } from '../parts/use-form.ts';
import { endSession } from '../state/end-session.ts';
import { useSession } from '../state/session.ts';
import { useToast } from '../state/toast.ts';
import css from './account.module.css';
import { passwordFaults } from './account-forms.ts';

export function LogoutButton() {
  const { t } = useText();
  const form = useForm();
  // After a failure the session may still be valid, so the app must not pretend that it has ended.
  const logout = async () => {
    await post('user/logout');
    endSession();
  };
  return (
    <Button isBlock disabled={form.isBusy} onClick={() => form.send(logout)}>
      {t('account.logout')}
    </Button>
  );
}

export function PasswordForm({ onDone }: { onDone: () => void }) {
  const { t } = useText();
  const [oldPassword, setOld] = useState('');
  const [password, setPassword] = useState('');
  const [confirmPassword, setConfirm] = useState('');
  const form = useForm<'oldPassword' | 'password' | 'confirmPassword'>({
    check: (): Faults<'oldPassword' | 'password' | 'confirmPassword'> => ({
      ...(oldPassword === '' ? { oldPassword: 'fault.passwordRequired' } : {}),
      ...passwordFaults({ password, confirmPassword }),
    }),
  });
  const send = async () => {
    await post('user/setPassword', { oldPassword, password, confirmPassword });
    useToast.getState().show(t('shell.modified'));
    onDone();
  };
  return (
    <form className={css.form} onSubmit={form.onSubmit(send)} noValidate style={{ marginTop: 8 }}>
      <OwnUsername />
      <PasswordField
        label={t('account.oldPassword')}
        value={oldPassword}
        autoComplete="current-password"
        fault={form.faultOf('oldPassword')}
        onChange={(value) => {
          form.clear('oldPassword');
          setOld(value);
        }}
      />
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
      <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
        {t('account.save')}
      </Button>
    </form>
  );
}

export function NicknameForm({ first, onDone }: { first: string; onDone: () => void }) {
  const { t } = useText();
  const [nickname, setNickname] = useState(first);
  const form = useForm<'nickname'>({
    check: (): Faults<'nickname'> => (nickname.trim() === '' ? { nickname: 'fault.nicknameRequired' } : {}),
  });
  const send = async () => {
    await post('user/setUserName', { nickname: nickname.trim() });
    useSession.getState().change({ nickname: nickname.trim() });
    useToast.getState().show(t('shell.modified'));
    onDone();
  };
  return (
    <form className={css.form} onSubmit={form.onSubmit(send)} noValidate style={{ marginTop: 8 }}>
      <Field label={t('account.nickname')} fault={form.faultOf('nickname')}>
        {(ids) => (
          <input
            {...ids}
            value={nickname}
            maxLength={20}
            autoComplete="nickname"
            onChange={(event) => {
              form.clear('nickname');
              setNickname(event.target.value);
            }}
          />
        )}
      </Field>
      <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
        {t('account.save')}
      </Button>
    </form>
  );
}
