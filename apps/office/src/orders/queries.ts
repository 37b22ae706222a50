import type { OfficeData } from '@fairtick/protocol/office';
import { ONE_VIEW, useGet } from '../api/queries.ts';

export type OrderCase = OfficeData<'order/case'>;

export const useOrderCase = (id: string) => useGet(['look', 'order'], 'order/case', { id }, ONE_VIEW);
