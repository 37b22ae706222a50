import { Notice } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';

/** Says that a case has changed since its reader opened it; an approval waits until they have looked again. */
export function StaleNotice({ lookAgain }: { lookAgain: () => void }) {
  const { t } = useText();
  return (
    <Notice look="bad">
      {t('review.stale')}{' '}
      <button type="button" className="link" onClick={lookAgain}>
        {t('review.lookAgain')}
      </button>
    </Notice>
  );
}
