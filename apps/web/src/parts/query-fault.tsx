import { Button, Empty, FaultIcon } from '@fairtick/ui';
import { NetworkError, RefusedError } from '../api/client.ts';
import { faultText } from '../api/tell-fault.ts';
import { useText } from '../messages/text-context.tsx';

/** Shows that a read failed, with a button to retry; a refusal has none, because it would be the same again. */
export function QueryFault({ error, onAgain }: { error: Error | null; onAgain: () => void }) {
  const { t } = useText();
  const isRefused = error instanceof RefusedError;
  const isOffline = error instanceof NetworkError && !navigator.onLine;
  const title = isOffline ? t('shell.offlineData') : ((error && faultText(error, t)) ?? '');
  return (
    <Empty icon={<FaultIcon size={28} />} title={title}>
      {!isRefused && (
        <>
          {t('list.unread')}
          <Button size="small" onClick={onAgain} className="mt-12">
            {t('list.again')}
          </Button>
        </>
      )}
    </Empty>
  );
}
