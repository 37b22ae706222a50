import { Button, buttonClass } from '@fairtick/ui';
import { whenLoaded } from '@fairtick/ui/load-code';
import { useEffect, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Link } from '../shell/link.tsx';
import { useSession } from '../state/session.ts';
import { readStored, store } from '../state/storage.ts';
import { isDue, stampOf } from '../transparency/owed-model.ts';
import css from './care.module.css';

/** After the screen is there and its own calls are done; and who leaves the app open has it looked at again. */
const AFTER_MS = 10_000;
const AGAIN_MS = 15 * 60_000;

/**
 * Once a day this device checks that what is owed to its customer was counted. Nothing is said where it was, or could not be
 * found out; where it was not, that is told until somebody has looked.
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

/** The assets that were not counted as they had to be; null where nothing could be found out. */
async function findWrong(customerId: string): Promise<string[] | null> {
  try {
    const { checkOwn } = await whenLoaded(() => import('../transparency/check-owed.ts'));
    const owed = await checkOwn(customerId);
    const wrong = owed.filter(
      ({ fault, amount }) =>
        fault !== null && fault !== 'unlogged' && (fault !== 'absent' || amount !== null),
    );
    // What is not in the log yet is looked at again; what is wrong is told again.
    if (wrong.length === 0 && owed.every(({ fault }) => fault !== 'unlogged'))
      store('owedChecked', stampOf(customerId, Date.now()));
    return wrong.map(({ asset }) => asset);
  } catch {
    // No answer, or no room to keep evidence: the next look will tell.
    return null;
  }
}
