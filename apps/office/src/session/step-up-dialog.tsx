import { startAuthentication } from '@simplewebauthn/browser';
import { useEffect, useState } from 'react';
import { handleStepUp, post } from '../api/client.ts';
import { type Me, refreshMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import {
  Action,
  buttonsClass,
  FormFault,
  formClass,
  PasswordField,
  UserName,
  useForm,
} from '../shell/form.tsx';
import { CodeField } from './login-page.tsx';
import { usePasskeyFault } from './passkey-fault.ts';
import css from './session.module.css';

/**
 * Asks for a step-up before money moves or rights change, if the last one is at least 15 minutes old. The pending call waits and
 * is sent after a correct answer.
 */
export function StepUpDialog({ me }: { me: Me }) {
  const { t } = useText();
  const [resolve, setResolve] = useState<((isGiven: boolean) => void) | null>(null);
  useEffect(() => {
    handleStepUp(() => new Promise((answer) => setResolve(() => answer)));
    return () => handleStepUp(async () => false);
  }, []);
  const close = (isGiven: boolean) => {
    resolve?.(isGiven);
    setResolve(null);
  };
  return (
    <Dialog title={t('stepUp.title')} isOpen={resolve !== null} onClose={() => close(false)}>
      <StepUpForm me={me} onDone={() => close(true)} onCancel={() => close(false)} />
    </Dialog>
  );
}

function StepUpForm({ me, onDone, onCancel }: { me: Me; onDone: () => void; onCancel: () => void }) {
  const { t } = useText();
  const form = useForm({ values: { password: '', otp: '' } });
  const { password, otp } = form.values;
  const tellPasskeyFault = usePasskeyFault();
  const give = async (given: { password?: string; otp?: string; passkey?: string }) => {
    await post('session/stepUp', given);
    await refreshMe();
    onDone();
  };
  const withPasskey = async () => {
    const { options } = await post('session/stepUpOptions');
    const answer = await startAuthentication({ optionsJSON: JSON.parse(options) }).catch(tellPasskeyFault);
    if (answer !== null) await give({ passkey: JSON.stringify(answer) });
  };
  const hasCode = me.factors.includes('totp');
  return (
    <form
      className={formClass}
      onSubmit={form.onSubmit(() => give({ password, ...(hasCode ? { otp } : {}) }))}
    >
      <p className={`secondary ${css.lead}`}>{t('stepUp.text')}</p>
      <UserName account={me.account} />
      <PasswordField label={t('session.password')} {...form.field('password')} />
      {hasCode && <CodeField {...form.field('otp')} />}
      <FormFault text={form.fault} />
      <div className={buttonsClass}>
        {me.factors.includes('passkey') && (
          <Action disabled={form.isBusy} onClick={() => form.send(withPasskey)}>
            {t('factor.usePasskey')}
          </Action>
        )}
        <Action onClick={onCancel}>{t('shell.cancel')}</Action>
        <Action look="gold" type="submit" disabled={form.isBusy}>
          {t('stepUp.confirm')}
        </Action>
      </div>
    </form>
  );
}
