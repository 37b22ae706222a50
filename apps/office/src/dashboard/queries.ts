import type { OfficeData } from '@fairtick/protocol/office';
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';

export type House = OfficeData<'dashboard/house'>;
export type QueueFigure = OfficeData<'dashboard/queues'>[number];

export type HouseStepState = OfficeData<'dashboard/steps'>[number];

const REFRESH_MS = 5_000;

export const useQueues = () =>
  useQuery({
    queryKey: ['dashboard', 'queues'],
    queryFn: ({ signal }) => get('dashboard/queues', {}, signal),
    refetchInterval: REFRESH_MS,
  });

export const useHouse = (isShown: boolean) =>
  useQuery({
    enabled: isShown,
    queryKey: ['dashboard', 'house'],
    queryFn: ({ signal }) => get('dashboard/house', {}, signal),
    refetchInterval: REFRESH_MS,
  });

/** Steps change by the hour. */
export const useHouseSteps = () =>
  useQuery({
    queryKey: ['dashboard', 'steps'],
    queryFn: ({ signal }) => get('dashboard/steps', {}, signal),
    refetchInterval: 60_000,
  });
