import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { onSessionEnd } from '../state/end-session.ts';
import { RefusedError, SessionError } from './client.ts';
import { useStream } from './stream.ts';

/** Answers of the server that screens share. Fetched by pages that need it, so the first screen goes without. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: true,
      // A refusal is an answer; only silence is worth asking again.
      retry: (count, error) =>
        count < 2 && !(error instanceof RefusedError) && !(error instanceof SessionError),
    },
  },
});
onSessionEnd(() => queryClient.clear());
// While the stream was away nobody told what changed: what is shown is asked for again.
useStream.subscribe((now, before) => {
  if (now.isLive && !before.isLive && before.lastMs !== null) void queryClient.invalidateQueries();
});

export function Queries({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>;
}
