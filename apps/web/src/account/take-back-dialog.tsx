import { Skeleton } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense } from 'react';
import { useText, WithTexts } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';

const TakeBackForm = lazy(() => untilLoaded(() => import('./take-back-form.tsx')));

/** For customers whose second factor or recovery codes somebody else has changed. Rarely used, so its code loads on opening. */
export function TakeBackDialog(props: { account: string; isOpen: boolean; onClose: () => void }) {
  const { t } = useText();
  return (
    <Dialog title={t('account.takeBack')} isOpen={props.isOpen} onClose={props.onClose}>
      <WithTexts part="security">
        <Suspense fallback={<Skeleton width="100%" height={320} />}>
          <TakeBackForm first={props.account} />
        </Suspense>
      </WithTexts>
    </Dialog>
  );
}
