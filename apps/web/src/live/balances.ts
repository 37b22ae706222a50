import { followInSession } from '../api/stream.ts';
import { useSession } from '../state/session.ts';

/** Keeps the balances current from the stream while somebody is logged in. Called once. */
export const followFunds = (): void =>
  followInSession('funds', ({ data }) => useSession.getState().change({ balances: data }));
