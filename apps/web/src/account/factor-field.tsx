import { Button } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { useText } from '../messages/text-context.tsx';
import { TextField } from '../parts/form-parts.tsx';
import { useForm } from '../parts/use-form.ts';
import { useToast } from '../state/toast.ts';

/** The second factor: a code of the authenticator app or a recovery code, or the device's passkey in its place. */
export function FactorField(props: {
  value: string;
  fault: string | null;
  onChange: (otp: string) => void;
  label?: string;
  hint?: string;
  askOptions: () => Promise<{ options: string }>;
  onPasskey: (passkey: string) => Promise<void>;
}) {
  const { t } = useText();
  const form = useForm();
  const show = async () => {
    const { options } = await props.askOptions();
    const { showPasskey } = await untilLoaded(() => import('./passkey.ts'));
    const shown = await showPasskey(options);
    if ('fault' in shown) useToast.getState().show(t(`passkey.${shown.fault}`), { isFault: true });
    else await props.onPasskey(shown.passkey);
  };
  return (
    <>
      <TextField
        label={props.label ?? t('reauth.otp')}
        hint={props.hint ?? t('otp.hint')}
        value={props.value}
        fault={props.fault}
        maxLength={40}
        autoComplete="one-time-code"
        onChange={props.onChange}
      />
      {'PublicKeyCredential' in globalThis && (
        <Button isBlock disabled={form.isBusy} onClick={() => form.send(show)}>
          {t('otp.passkey')}
        </Button>
      )}
    </>
  );
}
