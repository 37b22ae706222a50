import { Notice } from '@fairtick/ui';
import { serverNow, useSecond } from '../live/clock.ts';
import { useText } from '../messages/text-context.tsx';
import { formatAmount, formatDateTime } from '../state/format.ts';
import { useSession } from '../state/session.ts';
import { Link } from './link.tsx';

/** Tells the customer which logins, orders or withdrawals staff have closed: all of them, or one. */
export function useFreezes(what?: 'orders' | 'withdrawals') {
  const freezes = useSession((state) => state.userInfo?.freezes);
  useSecond();
  return (freezes ?? []).filter((one) => one.until > serverNow() && (what ?? one.what) === one.what);
}

export function HoldNotes() {
  const { t } = useText();
  const holds = useSession((state) => state.userInfo?.holds);
  return holds?.map(({ amount, ...one }) => (
    <Notice key={`${one.reference} ${one.asset}`}>
      {t('hold.note', { ...one, amount: formatAmount(amount) })}
    </Notice>
  ));
}

export function FreezeNotes({ what }: { what?: 'orders' | 'withdrawals' }) {
  const { t, tag } = useText();
  return useFreezes(what).map(({ until, reason, ...one }) => (
    <Notice key={one.what} look="warn">
      {t(`freeze.${one.what}`, { time: formatDateTime(until, tag), reason })}{' '}
      <Link className="link reach" href="/chat">
        {t('freeze.ask')}
      </Link>
    </Notice>
  ));
}
