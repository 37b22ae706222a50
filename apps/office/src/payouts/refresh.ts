import { queryClient } from '../api/queries.ts';

export const PAYOUTS = 'payouts';
export const refreshPayouts = () => queryClient.invalidateQueries({ queryKey: [PAYOUTS] });
