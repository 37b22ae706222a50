import type { AppConfig } from '@fairtick/protocol';
import { Button, FaultIcon, Field } from '@fairtick/ui';
import { useEffect, useId, useState } from 'react';
import { get, post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { CountryField } from '../parts/country-field.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { useForm } from '../parts/use-form.ts';
import { Link } from '../shell/link.tsx';
import { useNavbar } from '../shell/navbar.tsx';
import { go, wantedPath } from '../shell/navigate.ts';
import { VisitorLinks } from '../shell/visitor-links.tsx';
import { beginSession } from '../state/end-session.ts';
import css from './account.module.css';
import { registerFaults } from './account-forms.ts';
import { ACCOUNT_BAR, useVisitorsOnly } from './login-page.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

type FieldName = 'account' | 'password' | 'confirmPassword' | 'country' | 'acceptRisk';

export default function RegisterPage() {
  const { t } = useText();
  const [account, setAccount] = useState('');
  const [password, setPassword] = useState('');
  const [confirmPassword, setConfirm] = useState('');
  const [country, setCountry] = useState('');
  const [acceptsRisk, setAcceptsRisk] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  useNavbar(ACCOUNT_BAR);
  useVisitorsOnly();
  const config = useConfig();
  const form = useForm<FieldName>({
    check: () => registerFaults({ account, password, confirmPassword, country, acceptsRisk }, config.mode),
  });
  const send = async () => {
    const answer = await post('user/register', {
      account: account.trim(),
      password,
      confirmPassword,
      country: country || undefined,
      acceptRisk: 'true',
    });
    beginSession(answer);
    setCodes(answer.recoveryCodes);
  };
  const change = (field: FieldName, set: (value: string) => void) => (value: string) => {
    form.clear(field);
    set(value);
  };
  if (codes)
    return (
      <RecoveryCodes
        codes={codes}
        account={account.trim()}
        onDone={() => go(wantedPath(), { isReplacing: true, from: null })}
      />
    );
  return (
    <div className={css.page}>
      <h2 className={css.title}>{t('account.register')}</h2>
      <p className={css.lead}>
        {t('account.haveAccount')} <Link href="/login">{t('account.login')}</Link>
      </p>
      <form className={css.form} onSubmit={form.onSubmit(send)} noValidate>
        <Field label={t('account.account')} hint={t('account.accountRule')} fault={form.faultOf('account')}>
          {(ids) => (
            <input
              {...ids}
              value={account}
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={40}
              onChange={(event) => change('account', setAccount)(event.target.value)}
            />
          )}
        </Field>
        <PasswordField
          label={t('account.password')}
          hint={t('account.passwordRule')}
          value={password}
          autoComplete="new-password"
          fault={form.faultOf('password')}
          onChange={change('password', setPassword)}
        />
        <PasswordField
          label={t('account.confirmPassword')}
          value={confirmPassword}
          autoComplete="new-password"
          fault={form.faultOf('confirmPassword')}
          onChange={change('confirmPassword', setConfirm)}
        />
        <ResidenceField
          value={country}
          isRestricted={config.restrictedRegions.includes(country)}
          fault={form.faultOf('country')}
          onChange={change('country', setCountry)}
        />
        <Consent
          isChecked={acceptsRisk}
          fault={form.faultOf('acceptRisk')}
          onChange={(is) => {
            form.clear('acceptRisk');
            setAcceptsRisk(is);
          }}
        />
        <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
          {form.isBusy ? t('account.registering') : t('account.register')}
        </Button>
        <p className={css.text}>{t('account.codesAhead')}</p>
      </form>
      <VisitorLinks />
    </div>
  );
}

function ResidenceField({
  value,
  isRestricted,
  fault,
  onChange,
}: {
  value: string;
  isRestricted: boolean;
  fault: string | null;
  onChange: (value: string) => void;
}) {
  const { t } = useText();
  return (
    <CountryField
      label={t('account.region')}
      hint={isRestricted ? t('account.regionRestricted') : t('account.regionHint')}
      value={value}
      fault={fault}
      onChange={onChange}
    />
  );
}

type RegisterConfig = Pick<AppConfig, 'mode' | 'restrictedRegions'>;

function useConfig(): RegisterConfig {
  const [config, setConfig] = useState<RegisterConfig>({ mode: 'demo', restrictedRegions: [] });
  useEffect(() => {
    let isCurrent = true;
    get('app/config', {}, { isSilent: true }).then(
      (read) => isCurrent && setConfig(read),
      // It only serves hints; the server decides.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, []);
  return config;
}

function Consent({
  isChecked,
  fault,
  onChange,
}: {
  isChecked: boolean;
  fault: string | null;
  onChange: (is: boolean) => void;
}) {
  const { t } = useText();
  const id = useId();
  return (
    <div>
      <label className={css.consent}>
        <input
          type="checkbox"
          checked={isChecked}
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault ? id : undefined}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span>{t('account.consent')}</span>
      </label>
      {fault && (
        <p id={id} className={css.fault} role="alert">
          <FaultIcon size={16} />
          {fault}
        </p>
      )}
    </div>
  );
}
