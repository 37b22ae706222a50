import { post } from '../api/client.ts';
import { refreshMe, useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Action, FormFault, formClass, TextField, UserName, useForm } from '../shell/form.tsx';
import { useToast } from '../state/toast.ts';

const EMPTY = { oldPassword: '', password: '', confirmPassword: '' };

/** A new password; all other sessions end. */
export function PasswordForm() {
  const { t } = useText();
  const me = useMe().data;
  const form = useForm({ values: EMPTY });
  const field = (name: keyof typeof EMPTY, autoComplete: 'current-password' | 'new-password') => ({
    ...form.field(name),
    type: 'password',
    autoComplete,
  });
  const send = async () => {
    await post('session/setPassword', form.values);
    form.set(EMPTY);
    useToast.getState().show(t('session.passwordChanged'));
    await refreshMe();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <UserName account={me?.account ?? ''} />
      <TextField label={t('session.oldPassword')} {...field('oldPassword', 'current-password')} />
      <TextField
        label={t('session.newPassword')}
        hint={t('session.passwordRule')}
        {...field('password', 'new-password')}
      />
      <TextField label={t('session.confirmPassword')} {...field('confirmPassword', 'new-password')} />
      <FormFault text={form.fault} />
      <Action type="submit" disabled={form.isBusy}>
        {t('session.changePassword')}
      </Action>
    </form>
  );
}
