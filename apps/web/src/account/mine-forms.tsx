import { Button } from '@fairtick/ui';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { forgetOrders } from '../orders/receipt-check/kept.ts';
import { Check, OwnUsername, SendForm, TextField } from '../parts/form-parts.tsx';
import { NewPassword, PasswordField } from '../parts/password-field.tsx';
import { blank, type Faults, useForm } from '../parts/use-form.ts';
import { customerNow, useSession } from '../state/session.ts';
import { endSession } from '../state/session-lifecycle.ts';
import { clearOwn } from '../state/storage.ts';
import { useToast } from '../state/toast.ts';
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
      <Check isChecked={isShared} onChange={setShared}>
        {t('account.clearDevice')}
      </Check>
      <Button isBlock className="mt-8" disabled={form.isBusy} onClick={() => form.send(logout)}>
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
    <SendForm form={form} send={send} button={t('account.save')} top={8}>
      <OwnUsername />
      <PasswordField
        label={t('account.oldPassword')}
        autoComplete="current-password"
        {...form.field('oldPassword')}
      />
      <NewPassword label={t('account.newPassword')} field={form.field} />
    </SendForm>
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
    <SendForm form={form} send={send} button={t('account.save')} top={8}>
      <TextField
        label={t('account.nickname')}
        maxLength={20}
        autoComplete="nickname"
        {...form.field('nickname')}
      />
    </SendForm>
  );
}
