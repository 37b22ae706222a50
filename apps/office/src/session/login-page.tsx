import { BrandMark } from '@fairtick/ui';
import { startAuthentication } from '@simplewebauthn/browser';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { post, RefusedError } from '../api/client.ts';
import { forgetAnswers, setMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import shell from '../shell/app.module.css';
import { Action, FormFault, formClass, PasswordField, TextField, useForm } from '../shell/form.tsx';
import { LanguageChoice, ThemeChoice } from '../shell/header.tsx';
import { DigitsField } from '../shell/number-fields.tsx';
import { usePasskeyFault } from './passkey-fault.ts';
import css from './session.module.css';

/** A page shown before work starts: a card under the office's bar. */
export function Doorway({
  title,
  isWide,
  children,
}: {
  title: string;
  isWide?: boolean;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Fairtick Office`;
  }, [title]);
  return (
    <div className={css.page}>
      <header className={`row justify-end gap-8 ${shell.bar} ${css.bar}`}>
        <span className={`row gap-8 ${shell.brand} ${css.brand}`}>
          <BrandMark size={20} />
          Office
        </span>
        <ThemeChoice />
        <LanguageChoice />
      </header>
      <main className={`centred ${css.center}`}>
        <div className={`box ${css.card}`} data-wide={isWide || undefined}>
          <h1>{title}</h1>
          {children}
        </div>
      </main>
    </div>
  );
}

/** Asks for account and password, then for the second factor if one is on. */
export function LoginPage() {
  const { t } = useText();
  const tellPasskeyFault = usePasskeyFault();
  const [needsFactor, setNeedsFactor] = useState(false);
  const form = useForm({ values: { account: '', password: '', otp: '' } });
  const { otp, ...credentials } = form.values;
  const otpField = useRef<HTMLDivElement>(null);
  useEffect(forgetAnswers, []);
  useEffect(() => {
    if (needsFactor) otpField.current?.querySelector('input')?.focus();
  }, [needsFactor]);

  const logIn = async (factor: { otp?: string; passkey?: string }) => {
    try {
      setMe(await post('session/login', { ...credentials, ...factor }));
    } catch (error) {
      if (!(error instanceof RefusedError) || error.code !== 'OTP_REQUIRED' || needsFactor) throw error;
      setNeedsFactor(true);
    }
  };
  const withPasskey = async () => {
    const { options } = await post('session/passkeyOptions', credentials);
    const answer = await startAuthentication({ optionsJSON: JSON.parse(options) }).catch(tellPasskeyFault);
    if (answer !== null) await logIn({ passkey: JSON.stringify(answer) });
  };
  return (
    <Doorway title={t('session.login')}>
      <form className={formClass} onSubmit={form.onSubmit(() => logIn(needsFactor ? { otp } : {}))}>
        <TextField
          label={t('session.account')}
          {...form.field('account')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
        <PasswordField label={t('session.password')} {...form.field('password')} />
        {needsFactor && (
          <div ref={otpField}>
            <CodeField {...form.field('otp')} />
          </div>
        )}
        <FormFault text={form.fault} />
        <Action look="gold" type="submit" disabled={form.isBusy}>
          {t('session.login')}
        </Action>
        {needsFactor && (
          <Action disabled={form.isBusy} onClick={() => form.send(withPasskey)}>
            {t('factor.usePasskey')}
          </Action>
        )}
      </form>
    </Doorway>
  );
}

/** Six digits of an authenticator app. */
export function CodeField(props: { value: string; fault: string | null; onChange: (code: string) => void }) {
  const { t } = useText();
  return (
    <DigitsField
      label={t('factor.code')}
      name="otp"
      autoComplete="one-time-code"
      maxLength={40}
      value={props.value}
      fault={props.fault}
      hint={t('factor.codeHint')}
      onChange={(event) => props.onChange(event.target.value)}
    />
  );
}
