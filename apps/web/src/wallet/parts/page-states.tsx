import { Button, Empty, FaultIcon, Skeleton } from '@fairtick/ui';
import { RefusedError } from '../../api/client.ts';
import { faultText } from '../../api/tell-fault.ts';
import { useText } from '../../messages/text-context.tsx';
import parts from './parts.module.css';

/** A form whose facts are on their way, in its final shape. */
export function FormSkeleton() {
  return (
    <div className={parts.page} aria-busy="true">
      <section className={parts.section}>
        <Skeleton width={96} />
        <div style={{ display: 'grid', gap: 12, marginTop: 12 }}>
          <Skeleton width="100%" height={52} />
          <Skeleton width="100%" height={144} />
        </div>
      </section>
      <section className={parts.section}>
        <Skeleton width={96} />
        <div style={{ marginTop: 12 }}>
          <Skeleton width="100%" height={52} />
        </div>
      </section>
    </div>
  );
}

/** What could not be read says so, and is read again when asked; a refusal would be the same again. */
export function QueryFault({ error, onAgain }: { error: Error | null; onAgain: () => void }) {
  const { t } = useText();
  return (
    <Empty icon={<FaultIcon size={28} />} title={(error && faultText(error, t)) ?? ''}>
      {!(error instanceof RefusedError) && (
        <Button size="small" onClick={onAgain} style={{ marginTop: 12 }}>
          {t('list.again')}
        </Button>
      )}
    </Empty>
  );
}
