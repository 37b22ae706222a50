import type { OfficeData } from '@fairtick/protocol/office';
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { ONE_VIEW } from '../reviews/queries.ts';

export type OrderCase = OfficeData<'order/case'>;

export const useOrderCase = (id: string) =>
  useQuery({ queryKey: ['look', 'order', id], queryFn: () => get('order/case', { id }), ...ONE_VIEW });
