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
      // A refusal is an answer; only silence is worth asking again.
      retry: (count, error) => count < 2 && error instanceof NetworkError,
    },
  },
});

const ME = ['me'] as const;

/** Who is logged in; null: nobody. A browser that never had a session is not asked for one. */
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

/** Nothing of one session is shown in the next. Called when no page of it is there any more that would ask again. */
export function forgetAnswers(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] });
  // Whoever logged out had stopped them all from asking.
  focusManager.setFocused(undefined);
}

export const refreshMe = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ME });

handleSessionEnd(() => setMe(null));
