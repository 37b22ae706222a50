import type { Data } from '@fairtick/protocol';
import { Button, CopyIcon } from '@fairtick/ui';
import { copyText } from '@fairtick/ui/copy-text';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { SendForm, TextField } from '../parts/form-parts.tsx';
import QrCode from '../parts/qr-code.tsx';
import { blank, useForm } from '../parts/use-form.ts';
import { useToast } from '../state/toast.ts';
import own from './security.module.css';

export function TotpForm({ totp, onDone }: { totp: Data<'beginTotp'>; onDone: () => void }) {
  const { t } = useText();
  const form = useForm({
    values: { otp: '' },
    check: (values) => blank(values, { otp: 'fault.otpRequired' }),
  });
  const send = async () => {
    await post('user/confirmTotp', { id: totp.id, ...form.values });
    onDone();
  };
  const copy = () =>
    copyText(totp.secret).then(
      () => useToast.getState().show(t('security.keyCopied')),
      () => useToast.getState().show(t('account.codesNotCopied'), { isFault: true }),
    );
  return (
    <SendForm form={form} send={send} button={t('security.confirm')} top={4}>
      <p className="secondary">{t('security.scan')}</p>
      <QrCode text={totp.uri} label={t('security.qr')} className={own.qr} />
      <p className={`py-10 px-12 text-center breaks ${own.secret}`} translate="no" data-testid="secret">
        {totp.secret.replace(/(.{4})(?=.)/g, '$1 ')}
      </p>
      <Button size="small" onClick={() => void copy()}>
        <CopyIcon size={18} />
        {t('security.copyKey')}
      </Button>
      <TextField
        label={t('security.code')}
        maxLength={40}
        autoComplete="one-time-code"
        inputMode="numeric"
        {...form.field('otp')}
      />
    </SendForm>
  );
}
