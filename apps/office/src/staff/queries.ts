import type { OfficeData } from '@fairtick/protocol/office';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { get } from '../api/client.ts';
import { queryClient, usePages } from '../api/queries.ts';

export type Member = OfficeData<'staff/list'>[number];
export type Change = ReturnType<typeof useChanges>['rows'][number];

const STAFF = ['staff'];
const CHANGES = ['changes'];

export const useStaff = () =>
  useQuery({ queryKey: STAFF, queryFn: ({ signal }) => get('staff/list', {}, signal) });

/** Proposed changes, with the accounts of those who proposed and decided them. */
export function useChanges() {
  const members = useStaff().data;
  const list = usePages(CHANGES, (page, signal) => get('staff/changes', page, signal));
  const rows = useMemo(() => {
    const who = (id: string) => ({ id, name: members?.find((member) => member.id === id)?.account ?? id });
    return list.rows.map((change) => ({
      ...change,
      status: change.state,
      proposedBy: who(change.proposedBy),
      decidedBy: change.decidedBy === null ? null : who(change.decidedBy),
    }));
  }, [list.rows, members]);
  return { ...list, rows };
}

/** Refetches members and changes, after a change. */
export async function refreshStaff(): Promise<void> {
  await Promise.all([CHANGES, STAFF].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
