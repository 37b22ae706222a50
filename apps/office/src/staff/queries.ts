import type { OfficeData } from '@fairtick/protocol/office';
import { refresh, useGet, usePages } from '../api/queries.ts';

export type Member = OfficeData<'staff/list'>[number];
export type Change = ReturnType<typeof useChanges>['rows'][number];

const STAFF = ['staff'] as const;

export const useStaff = () => useGet(STAFF, 'staff/list');

/** Proposed changes, with the accounts of those who proposed and decided them. */
export function useChanges() {
  const members = useStaff().data;
  const list = usePages(STAFF, 'staff/changes');
  const who = (id: string) => ({ id, name: members?.find((member) => member.id === id)?.account ?? id });
  const rows = list.rows.map((change) => ({
    ...change,
    status: change.state,
    proposedBy: who(change.proposedBy),
    decidedBy: change.decidedBy === null ? null : who(change.decidedBy),
  }));
  return { ...list, rows };
}

/** Refetches members and changes, after a change. */
export const refreshStaff = () => refresh(...STAFF);
