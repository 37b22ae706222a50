import { stream } from '../api/stream.ts';
import { useSession } from '../state/session.ts';

/** Keeps the balances current from the stream while somebody is logged in. Called once. */
export function followFunds(): void {
  let leave: (() => void) | null = null;
  const follow = (token: string | null) => {
    leave?.();
    leave =
      token === null
        ? null
        : stream.subscribe('funds', ({ data }) => useSession.getState().change({ balances: data }));
  };
  let { token } = useSession.getState();
  follow(token);
  useSession.subscribe((session) => {
    if (session.token === token) return;
    token = session.token;
    follow(token);
  });
}
