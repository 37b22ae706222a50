import type { OfficeData } from '@fairtick/protocol/office';
import { useGet } from '../api/queries.ts';

export type House = OfficeData<'dashboard/house'>;
export type QueueFigure = OfficeData<'dashboard/queues'>[number];
export type HouseStepState = OfficeData<'dashboard/steps'>[number];

const DASHBOARD = ['dashboard'] as const;
const LIVE = { refetchInterval: 5_000 };

export const useQueues = () => useGet(DASHBOARD, 'dashboard/queues', {}, LIVE);
export const useHouse = (isShown: boolean) =>
  useGet(DASHBOARD, 'dashboard/house', {}, { ...LIVE, enabled: isShown });
/** Steps change by the hour. */
export const useHouseSteps = () => useGet(DASHBOARD, 'dashboard/steps', {}, { refetchInterval: 60_000 });
