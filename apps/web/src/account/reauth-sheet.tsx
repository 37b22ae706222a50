import { useState } from 'react';
import { post, RefusedError } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { OwnUsername, SendForm } from '../parts/form-parts.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { blank, type Faults, useForm } from '../parts/use-form.ts';
import { useReauth } from '../state/reauth.ts';
import { FactorField } from './factor-field.tsx';

/**
 * Asks for the password again over the current screen, when the server requires a fresh or proved session. The caller repeats the
 * refused call; typed text stays.
 */
export default function ReauthSheet() {
  const { t } = useText();
  const { isAsking, answer } = useReauth();
  return (
    <Dialog title={t('reauth.title')} isOpen={isAsking} onClose={() => answer(false)}>
      <ReauthForm onDone={() => answer(true)} />
    </Dialog>
  );
}

function ReauthForm({ onDone }: { onDone: () => void }) {
  const { t } = useText();
  const [wantsOtp, setWantsOtp] = useState(false);
  const form = useForm({
    values: { password: '', otp: '' },
    check: (values): Faults<'password' | 'otp'> => ({
      ...(values.password === '' ? { password: 'fault.passwordRequired' } : {}),
      ...(wantsOtp ? blank(values, { otp: 'fault.otpRequired' }) : {}),
    }),
  });
  const { password, otp } = form.values;
  const send = async () => {
    try {
      await post('user/reauth', { password, otp: wantsOtp ? otp.trim() : undefined });
    } catch (error) {
      if (error instanceof RefusedError) {
        if (error.code === 'OTP_REQUIRED' && !wantsOtp) return setWantsOtp(true);
        if (error.code === 'LOGIN_FAILED')
          throw new RefusedError(error.message, error.code, { password: t('fault.passwordWrong') });
      }
      throw error;
    }
    onDone();
  };
  return (
    <SendForm form={form} send={send} button={t('reauth.confirm')} top={4}>
      <p className="secondary">{t('reauth.lead')}</p>
      <OwnUsername />
      <PasswordField
        label={t('account.password')}
        autoComplete="current-password"
        {...form.field('password')}
      />
      {wantsOtp && (
        <FactorField
          {...form.field('otp')}
          askOptions={() => post('user/reauthOptions')}
          onPasskey={async (passkey) => {
            await post('user/reauth', { password, passkey });
            onDone();
          }}
        />
      )}
    </SendForm>
  );
}
