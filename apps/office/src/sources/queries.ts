import type { OfficeData } from '@fairtick/protocol/office';
import { useGet } from '../api/queries.ts';

export type Sources = OfficeData<'sources/state'>;

/** The feed reports its sources every 5 s. */
export const useSources = () => useGet(['sources'], 'sources/state', {}, { refetchInterval: 5_000 });
