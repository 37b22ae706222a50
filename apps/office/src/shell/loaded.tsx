import { Notice } from '@fairtick/ui';
import type { ReactNode } from 'react';
import { faultText } from '../api/fault-text.ts';
import { useText } from '../messages/text-context.tsx';

/** Draws what a query has read; until then that it loads, or why it can't. */
export function Loaded<Data>({
  query,
  children,
}: {
  query: { readonly data: Data | undefined; readonly error: Error | null };
  children: (data: Data) => ReactNode;
}) {
  const text = useText();
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Notice look="bad">{faultText(query.error, text)}</Notice>;
  return (
    <p className="caption" role="status">
      {text.t('shell.loading')}
    </p>
  );
}
