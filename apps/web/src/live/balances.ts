import { followInSession } from '../api/stream.ts';
import { useSession } from '../state/session.ts';

export const followFunds = (): void =>
  followInSession('funds', ({ data }) => useSession.getState().change({ balances: data }));
