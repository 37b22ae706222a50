import type { Order } from '@fairtick/protocol';
import { LockIcon, Notice, Skeleton } from '@fairtick/ui';
import { useLayoutEffect, useState } from 'react';
import { get, post, RefusedError } from '../api/client.ts';
import { takeSnapshot } from '../live/orders.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { SendForm } from '../parts/form-parts.tsx';
import { later } from '../parts/later.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { blank, useForm } from '../parts/use-form.ts';
import { takeLanguage } from '../shell/choose-language.ts';
import { Link } from '../shell/link.tsx';
import { type NavbarSlots, useNavbar } from '../shell/navbar.tsx';
import { go, wantedPath } from '../shell/navigate.ts';
import { VisitorLinks } from '../shell/visitor-links.tsx';
import { isLoggedIn, useSession } from '../state/session.ts';
import { beginSession } from '../state/session-lifecycle.ts';
import css from './account.module.css';
import { loginFaults } from './account-forms.ts';
import { FactorField } from './factor-field.tsx';
import { AccountField, RecoverDialog } from './recover-dialog.tsx';

const TakeBackForm = later(() => import('./take-back-form.tsx'), {
  part: 'security',
  waiting: <Skeleton width="100%" height={320} />,
});

/** The top bar of pages before a login: their heading is below it. */
export const ACCOUNT_BAR: NavbarSlots = { isTitleBelow: true };

/** Leaves a page that is for visitors, if the reader is logged in when it opens. */
export function useVisitorsOnly(): void {
  useLayoutEffect(() => {
    if (isLoggedIn(useSession.getState())) go(wantedPath(), { isReplacing: true, from: null });
  }, []);
}

/**
 * Reads the open orders of a new session, so that the first screen has them in their places. Null without an answer: the stream
 * brings them.
 */
async function readOpenOrdersOf(token: string): Promise<readonly Order[] | null> {
  try {
    const { items } = await get('order/list', { status: 'unsettled', limit: 100 }, { isSilent: true, token });
    return items;
  } catch {
    return null;
  }
}

function useLogin() {
  // The server asks for a second factor after a correct password.
  const [wantsOtp, setWantsOtp] = useState(false);
  const form = useForm({
    values: { account: '', password: '', otp: '' },
    check: (values) => ({
      ...loginFaults(values),
      ...(wantsOtp ? blank(values, { otp: 'fault.otpRequired' }) : {}),
    }),
  });
  const { account, password, otp } = form.values;
  const credentials = { account: account.trim(), password };
  const login = async (given: { otp?: string; passkey?: string }) => {
    const session = await post('user/login', { ...credentials, ...given });
    const orders = await readOpenOrdersOf(session.token);
    beginSession(session);
    takeLanguage(session.userInfo);
    if (orders) takeSnapshot(orders);
    go(wantedPath(), { isReplacing: true, from: null });
  };
  const send = async () => {
    try {
      await login(wantsOtp ? { otp: otp.trim() } : {});
    } catch (error) {
      const code = error instanceof RefusedError ? error.code : null;
      // A recovery code also lets a new device in where wrong passwords of others keep it out.
      if (code === 'OTP_REQUIRED' || code === 'NEW_DEVICES_HELD') setWantsOtp(true);
      if (code !== 'OTP_REQUIRED' || wantsOtp) throw error;
    }
  };
  return { form, wantsOtp, credentials, login, send };
}

export default function LoginPage() {
  const { t } = useText();
  const [isRecovering, setRecovering] = useState(false);
  const [isTakingBack, setTakingBack] = useState(false);
  const hasLapsed = useSession((state) => state.hasLapsed);
  useNavbar(ACCOUNT_BAR);
  useVisitorsOnly();
  const { form, wantsOtp, credentials, login, send } = useLogin();
  const { account } = form.values;
  return (
    <div className="page">
      <h2 className={css.title}>{t('account.login')}</h2>
      <p className={`secondary ${css.lead}`}>
        {t('account.noAccount')}{' '}
        <Link className="link reach" href="/register">
          {t('account.register')}
        </Link>
      </p>
      {hasLapsed && <Notice>{t('account.sessionEnded')}</Notice>}
      <SendForm form={form} send={send} button={t('account.login')} busy={t('account.loggingIn')}>
        <AccountField placeholder={t('account.accountHint')} {...form.field('account')} />
        <PasswordField
          label={t('account.password')}
          autoComplete="current-password"
          aside={
            <button type="button" className="secondary link reach" onClick={() => setRecovering(true)}>
              {t('account.forgot')}
            </button>
          }
          {...form.field('password')}
        />
        {wantsOtp && (
          <FactorField
            {...form.field('otp')}
            askOptions={() => post('user/passkeyOptions', credentials)}
            onPasskey={(passkey) => login({ passkey })}
          />
        )}
      </SendForm>
      <details className="mt-20">
        <summary className="unfolds row secondary touch">{t('account.cantLogIn')}</summary>
        <button type="button" className="secondary link touch text-left" onClick={() => setTakingBack(true)}>
          {t('account.takeBack')}
        </button>
      </details>
      <p className={`caption flex gap-14 ${css.foot}`}>
        <LockIcon size={20} />
        {t('account.loginNote')}
      </p>
      <VisitorLinks />
      <RecoverDialog account={account} isOpen={isRecovering} onClose={() => setRecovering(false)} />
      <Dialog title={t('account.takeBack')} isOpen={isTakingBack} onClose={() => setTakingBack(false)}>
        <TakeBackForm first={account} />
      </Dialog>
    </div>
  );
}
