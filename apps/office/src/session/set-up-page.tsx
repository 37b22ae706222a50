import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense } from 'react';
import type { Me } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Doorway } from './login-page.tsx';
import { PasswordForm } from './password-form.tsx';
import css from './session.module.css';

const FactorSection = lazy(() => untilLoaded(() => import('./factor-section.tsx')));

/** Steps required before any work: a new password, and in live mode a second factor. */
export default function SetUpPage({ me }: { me: Me }) {
  const { t } = useText();
  if (me.mustChangePassword) {
    return (
      <Doorway title={t('setUp.password')}>
        <p className={`secondary ${css.lead}`}>{t('setUp.passwordText')}</p>
        <PasswordForm />
      </Doorway>
    );
  }
  return (
    <Doorway title={t('setUp.factor')} isWide>
      <p className={`secondary ${css.lead}`}>{t('setUp.factorText')}</p>
      <Suspense>
        <FactorSection />
      </Suspense>
    </Doorway>
  );
}
