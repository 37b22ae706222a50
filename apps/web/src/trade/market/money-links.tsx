import { buttonClass } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import { Link } from '../../shell/link.tsx';
import { useSettings } from '../../state/settings.ts';
import { ResetPractice } from './reset-practice.tsx';

/** The ways to move money out and in. Practice money is reset instead of withdrawn. */
export function MoneyLinks() {
  const { t } = useText();
  const asset = useSettings((state) => state.asset);
  return (
    <>
      {asset === 'DEMO' ? (
        <ResetPractice />
      ) : (
        <Link href="/with" className={buttonClass} data-look="line" data-size="small">
          {t('home.withdraw')}
        </Link>
      )}
      <Link href="/recharge" className={buttonClass} data-look="gold" data-size="small">
        {t('home.deposit')}
      </Link>
    </>
  );
}
