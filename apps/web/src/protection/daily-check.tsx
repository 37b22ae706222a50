import { Button, buttonClass } from '@fairtick/ui';
import { whenLoaded } from '@fairtick/ui/load-code';
import { useEffect, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Link } from '../shell/link.tsx';
import { useSession } from '../state/session.ts';
import { readStored, storeInSession } from '../state/storage.ts';
import { isDue, stampOf } from '../transparency/owed-model.ts';
import css from './protection.module.css';

/** First check, after the screen's own calls are done; it repeats while the app stays open. */
const AFTER_MS = 10_000;
const AGAIN_MS = 15 * 60_000;

/**
 * Checks once a day on this device that what is owed to the customer was counted. Silent if it was, or if that can't be
 * determined; a fault is shown again until the reader has looked at it.
 */
export function DailyCheck() {
  const { t } = useText();
  const customerId = useSession((state) => state.userInfo?.id ?? null);
  const [wrong, setWrong] = useState<readonly string[]>([]);
  useEffect(() => {
    if (customerId === null) return;
    const look = async () => {
      if (document.visibilityState !== 'visible' || !navigator.onLine) return;
      if (!isDue(readStored('owedChecked'), customerId, Date.now())) return;
      const { token } = useSession.getState();
      const found = await check(customerId);
      // Nothing is shown or stored for a session that has ended meanwhile.
      if (found === null || useSession.getState().token !== token) return;
      if (found.isDone) storeInSession('owedChecked', stampOf(customerId, Date.now()));
      if (found.wrong.length > 0) setWrong(found.wrong);
    };
    const first = setTimeout(look, AFTER_MS);
    const again = setInterval(look, AGAIN_MS);
    return () => {
      clearTimeout(first);
      clearInterval(again);
    };
  }, [customerId]);
  const close = () => setWrong([]);
  return (
    <Dialog title={t('care.owedWrong')} isOpen={wrong.length > 0} onClose={close}>
      <p className="secondary mt-4">{t('care.owedWrongText', { assets: wrong.join(', ') })}</p>
      <div className={`mt-20 ${css.actions}`}>
        <Link href="/transparency" className={buttonClass} data-look="gold" onClick={close}>
          {t('care.owedLook')}
        </Link>
        <Button onClick={close}>{t('care.owedLater')}</Button>
      </div>
    </Dialog>
  );
}

interface Found {
  readonly wrong: readonly string[];
  /** Whether the day's check is done: every asset is in the log, and none is wrong. Otherwise the next run checks again. */
  readonly isDone: boolean;
}

/** Null if it can't be determined. */
async function check(customerId: string): Promise<Found | null> {
  try {
    const { checkOwn } = await whenLoaded(() => import('../transparency/check-owed.ts'));
    const owed = await checkOwn(customerId);
    const wrong = owed.filter(
      ({ fault, amount }) =>
        fault !== null && fault !== 'unlogged' && (fault !== 'absent' || amount !== null),
    );
    return {
      wrong: wrong.map(({ asset }) => asset),
      isDone: wrong.length === 0 && owed.every(({ fault }) => fault !== 'unlogged'),
    };
  } catch {
    // No answer, or no storage for evidence: the next run checks again.
    return null;
  }
}
