import type { OfficeData } from '@fairtick/protocol/office';
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { queryClient } from '../api/queries.ts';

export type Member = OfficeData<'staff/list'>[number];
export type Change = OfficeData<'staff/changes'>['items'][number];

const STAFF = ['staff'];
export const CHANGES = ['changes'];

export const useStaff = () =>
  useQuery({ queryKey: STAFF, queryFn: ({ signal }) => get('staff/list', {}, signal) });

/** Refetches members and changes, after a change. */
export async function refreshStaff(): Promise<void> {
  await Promise.all([CHANGES, STAFF].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
