import { useMe } from '../api/queries.ts';

/** Permissions of the reader, for showing buttons; the server and the database decide. */
export function useMayDecide() {
  const me = useMe().data;
  const has = (role: string) => me?.roles.some((held) => held.role === role) ?? false;
  return {
    id: me?.id ?? null,
    mayPropose: has('cashier'),
    mayApprove: has('approver'),
    mayRefuse: has('cashier') || has('approver'),
    /** Rates of earnings are proposed by the role catalogue. */
    mayProposeRate: has('catalogue'),
  };
}
