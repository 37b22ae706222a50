import { Button, buttonClass } from '@fairtick/ui';
import { whenLoaded } from '@fairtick/ui/load-code';
import { useEffect, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Link } from '../shell/link.tsx';
import { useSession } from '../state/session.ts';
import { readStored, store } from '../state/storage.ts';
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
    let isHere = true;
    const look = async () => {
      if (document.visibilityState !== 'visible' || !navigator.onLine) return;
      if (!isDue(readStored('owedChecked'), customerId, Date.now())) return;
      const found = await findWrong(customerId);
      if (isHere && found !== null && found.length > 0) setWrong(found);
    };
    const first = setTimeout(look, AFTER_MS);
    const again = setInterval(look, AGAIN_MS);
    return () => {
      isHere = false;
      clearTimeout(first);
      clearInterval(again);
    };
  }, [customerId]);
  const close = () => setWrong([]);
  return (
    <Dialog title={t('care.owedWrong')} isOpen={wrong.length > 0} onClose={close}>
      <p className={css.lead}>{t('care.owedWrongText', { assets: wrong.join(', ') })}</p>
      <div className={css.actions} style={{ marginTop: 20 }}>
        <Link href="/transparency" className={buttonClass} data-look="gold" onClick={close}>
          {t('care.owedLook')}
        </Link>
        <Button onClick={close}>{t('care.owedLater')}</Button>
      </div>
    </Dialog>
  );
}

/** The assets that were counted wrongly; null if that can't be determined. */
async function findWrong(customerId: string): Promise<string[] | null> {
  try {
    const { checkOwn } = await whenLoaded(() => import('../transparency/check-owed.ts'));
    const owed = await checkOwn(customerId);
    const wrong = owed.filter(
      ({ fault, amount }) =>
        fault !== null && fault !== 'unlogged' && (fault !== 'absent' || amount !== null),
    );
    // Marks the day as checked only if every asset is in the log and none is wrong; otherwise the next run checks again.
    if (wrong.length === 0 && owed.every(({ fault }) => fault !== 'unlogged'))
      store('owedChecked', stampOf(customerId, Date.now()));
    return wrong.map(({ asset }) => asset);
  } catch {
    // No answer, or no storage for evidence: the next run checks again.
    return null;
  }
}
