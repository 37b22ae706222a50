import { Button, Empty, FaultIcon } from '@fairtick/ui';
import type { ReactNode } from 'react';
import { NetworkError, RefusedError } from '../api/client.ts';
import { faultText } from '../api/tell-fault.ts';
import { useText } from '../messages/text-context.tsx';

interface Query<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** What a query has read. Before that a placeholder, or why it failed, with a button to retry. */
export function Loaded<T>(props: {
  query: Query<T>;
  waiting: ReactNode;
  children: (data: T) => ReactNode;
}): ReactNode {
  const { data, error, refetch } = props.query;
  if (data !== undefined) return props.children(data);
  if (!error) return props.waiting;
  return <QueryFault error={error} onAgain={() => void refetch()} />;
}

/** The same for a list, which may be empty. */
export function Listed(props: {
  query: Query<unknown>;
  items: readonly unknown[];
  waiting: ReactNode;
  empty: ReactNode;
  children: ReactNode;
}): ReactNode {
  const { query, waiting, items, empty, children } = props;
  return (
    <Loaded query={query} waiting={waiting}>
      {() => (items.length === 0 ? empty : children)}
    </Loaded>
  );
}

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
