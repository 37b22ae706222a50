import { Button } from '@fairtick/ui';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { forgetOrders } from '../orders/receipt-check/kept.ts';
import { OwnUsername, TextField } from '../parts/form-parts.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { blank, type Faults, useForm } from '../parts/use-form.ts';
import { endSession } from '../state/end-session.ts';
import { customerNow, useSession } from '../state/session.ts';
import { clearOwn } from '../state/storage.ts';
import { useToast } from '../state/toast.ts';
import css from './account.module.css';
import { passwordFaults } from './account-forms.ts';

/** The logout. What this device keeps for the customer stays for the next login, or is removed, as the customer says. */
export function LogoutButton() {
  const { t } = useText();
  const form = useForm();
  const [isShared, setShared] = useState(false);
  // After a failure the session may still be valid, so the app must not pretend that it has ended.
  const logout = async () => {
    const customerId = customerNow();
    await post('user/logout');
    endSession();
    if (!isShared || customerId === null) return;
    clearOwn(customerId);
    // Without a database nothing was kept in it.
    await forgetOrders(customerId).catch(() => {});
  };
  return (
    <>
      <label className={`secondary ${css.consent}`}>
        <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.target.checked)} />
        <span>{t('account.clearDevice')}</span>
      </label>
      <Button isBlock disabled={form.isBusy} onClick={() => form.send(logout)}>
        {t('account.logout')}
      </Button>
    </>
  );
}

export function PasswordForm({ onDone }: { onDone: () => void }) {
  const { t } = useText();
  const form = useForm({
    values: { oldPassword: '', password: '', confirmPassword: '' },
    check: (values): Faults<'oldPassword' | 'password' | 'confirmPassword'> => ({
      ...(values.oldPassword === '' ? { oldPassword: 'fault.passwordRequired' } : {}),
      ...passwordFaults(values),
    }),
  });
  const send = async () => {
    await post('user/setPassword', form.values);
    useToast.getState().show(t('shell.modified'));
    onDone();
  };
  return (
    <form className={css.form} onSubmit={form.onSubmit(send)} noValidate style={{ marginTop: 8 }}>
      <OwnUsername />
      <PasswordField
        label={t('account.oldPassword')}
        autoComplete="current-password"
        {...form.field('oldPassword')}
      />
      <PasswordField
        label={t('account.newPassword')}
        hint={t('account.passwordRule')}
        autoComplete="new-password"
        {...form.field('password')}
      />
      <PasswordField
        label={t('account.confirmPassword')}
        autoComplete="new-password"
        {...form.field('confirmPassword')}
      />
      <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
        {t('account.save')}
      </Button>
    </form>
  );
}

export function NicknameForm({ first, onDone }: { first: string; onDone: () => void }) {
  const { t } = useText();
  const form = useForm({
    values: { nickname: first },
    check: (values) => blank(values, { nickname: 'fault.nicknameRequired' }),
  });
  const send = async () => {
    const nickname = form.values.nickname.trim();
    await post('user/setUserName', { nickname });
    useSession.getState().change({ nickname });
    useToast.getState().show(t('shell.modified'));
    onDone();
  };
  return (
    <form className={css.form} onSubmit={form.onSubmit(send)} noValidate style={{ marginTop: 8 }}>
      <TextField
        label={t('account.nickname')}
        maxLength={20}
        autoComplete="nickname"
        {...form.field('nickname')}
      />
      <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
        {t('account.save')}
      </Button>
    </form>
  );
}
