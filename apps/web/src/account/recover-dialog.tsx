import { Segments } from '@fairtick/ui';
import { type ComponentProps, useState } from 'react';
import { post, RefusedError } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { LongField, SendForm, TextField } from '../parts/form-parts.tsx';
import { NewPassword } from '../parts/password-field.tsx';
import { blank, useForm } from '../parts/use-form.ts';
import { useToast } from '../state/toast.ts';
import { passwordFaults } from './account-forms.ts';

type Way = 'code' | 'support';

export function RecoverDialog(props: { account: string; isOpen: boolean; onClose: () => void }) {
  const { account, isOpen, onClose } = props;
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

type FieldState = Pick<ComponentProps<typeof TextField>, 'value' | 'fault' | 'onChange'>;

export function AccountField(
  props: FieldState & { hint?: string; placeholder?: string; maxLength?: number },
) {
  const { t } = useText();
  return (
    <TextField
      label={t('account.account')}
      autoComplete="username"
      autoCapitalize="none"
      maxLength={100}
      {...props}
    />
  );
}

function ByCode({ first, onDone }: { first: string; onDone: () => void }) {
  const { t } = useText();
  // With a second factor on, a recovery code alone sets no password: the server asks for it.
  const [wantsOtp, setWantsOtp] = useState(false);
  const form = useForm({
    values: { account: first, recoveryCode: '', password: '', confirmPassword: '', otp: '' },
    check: (values) => ({
      ...(wantsOtp ? blank(values, { otp: 'fault.otpRequired' }) : {}),
      ...blank(values, { account: 'fault.accountRequired', recoveryCode: 'fault.codeRequired' }),
      ...passwordFaults(values),
    }),
  });
  const send = async () => {
    const { account, recoveryCode, otp, ...passwords } = form.values;
    try {
      await post('user/recover', {
        account: account.trim(),
        recoveryCode: recoveryCode.trim(),
        ...passwords,
        otp: wantsOtp ? otp.trim() : undefined,
      });
    } catch (error) {
      if (!(error instanceof RefusedError && error.code === 'OTP_REQUIRED' && !wantsOtp)) throw error;
      return setWantsOtp(true);
    }
    useToast.getState().show(t('shell.modified'));
    onDone();
  };
  return (
    <SendForm form={form} send={send} button={t('account.setNewPassword')}>
      <AccountField {...form.field('account')} />
      <TextField
        label={t('account.recoveryCode')}
        hint={t('account.recoveryCodeHint')}
        autoComplete="one-time-code"
        autoCapitalize="characters"
        maxLength={100}
        {...form.field('recoveryCode')}
      />
      <NewPassword label={t('account.newPassword')} field={form.field} />
      {wantsOtp && (
        <TextField
          label={t('reauth.otp')}
          maxLength={40}
          autoComplete="one-time-code"
          {...form.field('otp')}
        />
      )}
    </SendForm>
  );
}

function BySupport({ first, onDone }: { first: string; onDone: () => void }) {
  const { t } = useText();
  const form = useForm({
    values: { account: first, contact: '', text: '' },
    check: (values) =>
      blank(values, {
        account: 'fault.accountRequired',
        contact: 'fault.formIncomplete',
        text: 'fault.formIncomplete',
      }),
  });
  const send = async () => {
    const { account, contact, text } = form.values;
    await post('user/recoverRequest', {
      account: account.trim(),
      contact: contact.trim(),
      text: text.trim(),
    });
    useToast.getState().show(t('shell.submitted'));
    onDone();
  };
  return (
    <SendForm form={form} send={send} button={t('account.sendRequest')}>
      <p className="secondary">{t('account.supportNote')}</p>
      <AccountField {...form.field('account')} />
      <ContactFields contact={form.field('contact')} text={form.field('text')} />
    </SendForm>
  );
}

export function ContactFields({ contact, text }: { contact: FieldState; text: FieldState }) {
  const { t } = useText();
  return (
    <>
      <TextField label={t('account.contact')} hint={t('account.contactHint')} maxLength={200} {...contact} />
      <LongField label={t('account.whatHappened')} maxLength={2_000} {...text} />
    </>
  );
}
