import type { OfficeData } from '@fairtick/protocol/office';
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';

export type Sources = OfficeData<'sources/state'>;

/** The feed reports its sources this often. */
const REFRESH_MS = 5_000;

export const useSources = () =>
  useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => get('sources/state', {}, signal),
    refetchInterval: REFRESH_MS,
  });
