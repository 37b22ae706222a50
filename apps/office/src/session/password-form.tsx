import { post } from '../api/client.ts';
import { refreshMe, useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Action, FormFault, formClass, PasswordField, UserName, useForm } from '../shell/form.tsx';
import { useToast } from '../state/toast.ts';

const EMPTY = { oldPassword: '', password: '', confirmPassword: '' };

/** A new password; all other sessions end. */
export function PasswordForm() {
  const { t } = useText();
  const me = useMe().data;
  const form = useForm({ values: EMPTY });
  const send = async () => {
    await post('session/setPassword', form.values);
    form.set(EMPTY);
    useToast.getState().show(t('session.passwordChanged'));
    await refreshMe();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <UserName account={me?.account ?? ''} />
      <PasswordField label={t('session.oldPassword')} {...form.field('oldPassword')} />
      <PasswordField
        label={t('session.newPassword')}
        hint={t('session.passwordRule')}
        {...form.field('password')}
        isNew
      />
      <PasswordField label={t('session.confirmPassword')} {...form.field('confirmPassword')} isNew />
      <FormFault text={form.fault} />
      <Action type="submit" disabled={form.isBusy}>
        {t('session.changePassword')}
      </Action>
    </form>
  );
}
