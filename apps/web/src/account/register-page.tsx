import type { AppConfig } from '@fairtick/protocol';
import { useEffect, useState } from 'react';
import { get, post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { CountryField } from '../parts/country-field.tsx';
import { SendForm } from '../parts/form-parts.tsx';
import { NewPassword } from '../parts/password-field.tsx';
import { useForm } from '../parts/use-form.ts';
import { Link } from '../shell/link.tsx';
import { useNavbar } from '../shell/navbar.tsx';
import { go, wantedPath } from '../shell/navigate.ts';
import { VisitorLinks } from '../shell/visitor-links.tsx';
import { beginSession } from '../state/session-lifecycle.ts';
import css from './account.module.css';
import { registerFaults } from './account-forms.ts';
import { Consent } from './consent.tsx';
import { ACCOUNT_BAR, useVisitorsOnly } from './login-page.tsx';
import { AccountField } from './recover-dialog.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

export default function RegisterPage() {
  const { t } = useText();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  useNavbar(ACCOUNT_BAR);
  useVisitorsOnly();
  const config = useConfig();
  const form = useForm({
    values: { account: '', password: '', confirmPassword: '', country: '', acceptRisk: false },
    check: (values) => registerFaults(values, config.mode),
  });
  const { account, country } = form.values;
  const send = async () => {
    const answer = await post('user/register', {
      ...form.values,
      account: account.trim(),
      country: country || undefined,
      acceptRisk: 'true',
    });
    beginSession(answer);
    setCodes(answer.recoveryCodes);
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
    <div className="page">
      <h2 className={css.title}>{t('account.register')}</h2>
      <p className={`secondary ${css.lead}`}>
        {t('account.haveAccount')}{' '}
        <Link className="link reach" href="/login">
          {t('account.login')}
        </Link>
      </p>
      <SendForm
        form={form}
        send={send}
        button={t('account.register')}
        busy={t('account.registering')}
        end={<p className="secondary">{t('account.codesAhead')}</p>}
      >
        <AccountField hint={t('account.accountRule')} maxLength={40} {...form.field('account')} />
        <NewPassword label={t('account.password')} field={form.field} />
        <CountryField
          label={t('account.region')}
          hint={t(
            config.restrictedRegions.includes(country)
              ? 'account.regionRestricted'
              : config.mode === 'live'
                ? 'account.regionLive'
                : 'account.regionHint',
          )}
          {...form.field('country')}
        />
        <Consent
          riskText={config.riskText || t('home.risk')}
          isChecked={form.values.acceptRisk}
          fault={form.faultOf('acceptRisk')}
          onChange={(acceptRisk) => form.set({ acceptRisk })}
        />
      </SendForm>
      <VisitorLinks />
    </div>
  );
}

type RegisterConfig = Pick<AppConfig, 'mode' | 'restrictedRegions' | 'riskText'>;

function useConfig(): RegisterConfig {
  const [config, setConfig] = useState<RegisterConfig>({
    mode: 'demo',
    restrictedRegions: [],
    riskText: '',
  });
  useEffect(() => {
    let isCurrent = true;
    get('app/config', {}, { isSilent: true }).then(
      (read) => isCurrent && setConfig(read),
      // The settings only serve hints; the server decides.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, []);
  return config;
}
