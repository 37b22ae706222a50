import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { onSessionEnd } from '../state/session-lifecycle.ts';
import { RefusedError, SessionError } from './client.ts';
import { useStream } from './stream.ts';

/** Cache of answers shared by screens. Loaded by pages that need it, so the first screen does without. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: true,
      // Without a connection a query fails like any call, so that its screen says so, in place of a pause without an end.
      networkMode: 'always',
      refetchOnReconnect: true,
      // Retry only when no answer came: a refusal is an answer and would be the same again.
      retry: (count, error) =>
        count < 2 && !(error instanceof RefusedError) && !(error instanceof SessionError),
    },
  },
});
onSessionEnd(() => queryClient.clear());
// Changes were missed while the stream was down: refetch what is shown; at the first connection, only what has failed.
useStream.subscribe((now, before) => {
  if (!now.isLive || before.isLive) return;
  const isFirst = before.lastMs === null;
  void queryClient.invalidateQueries({ predicate: ({ state }) => !isFirst || state.status === 'error' });
});

export function Queries({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>;
}
