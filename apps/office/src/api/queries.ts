import type { OfficeData } from '@fairtick/protocol/office';
import { focusManager, QueryClient, useQuery } from '@tanstack/react-query';
import { readStored, store } from '../state/settings.ts';
import { get, handleSessionEnd, NetworkError, SessionError } from './client.ts';

export type Me = OfficeData<'session/me'>;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // Retry only when no answer came: a refusal is an answer and would be the same again.
      retry: (count, error) => count < 2 && error instanceof NetworkError,
    },
  },
});

const ME = ['me'] as const;

/** The member of staff who is logged in, or null. Makes no call in a browser that has never had a session. */
export function useMe() {
  return useQuery<Me | null>({
    queryKey: ME,
    queryFn: async ({ signal }) => {
      if (readStored('hasSession') === null) return null;
      try {
        return await get('session/me', {}, signal);
      } catch (error) {
        if (error instanceof SessionError) return null;
        throw error;
      }
    },
    refetchInterval: 60_000,
  });
}

export function setMe(me: Me | null): void {
  store('hasSession', me === null ? null : '1');
  queryClient.setQueryData(ME, me);
}

/** Removes all cached answers of the ended session. Called when none of its pages is mounted, as they would fetch again. */
export function forgetAnswers(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] });
  // Logging out has paused all refetching; resume it.
  focusManager.setFocused(undefined);
}

export const refreshMe = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ME });

handleSessionEnd(() => setMe(null));
