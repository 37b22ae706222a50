import { Button, Empty, FaultIcon } from '@fairtick/ui';
import { RefusedError } from '../api/client.ts';
import { faultText } from '../api/tell-fault.ts';
import { useText } from '../messages/text-context.tsx';

/** Shows that a read failed, with a button to retry; a refusal has none, because it would be the same again. */
export function QueryFault({ error, onAgain }: { error: Error | null; onAgain: () => void }) {
  const { t } = useText();
  const isRefused = error instanceof RefusedError;
  return (
    <Empty icon={<FaultIcon size={28} />} title={(error && faultText(error, t)) ?? ''}>
      {!isRefused && (
        <>
          {t('list.unread')}
          <Button size="small" onClick={onAgain} style={{ marginTop: 12 }}>
            {t('list.again')}
          </Button>
        </>
      )}
    </Empty>
  );
}
