import type { WaitingQueue } from '@fairtick/protocol/office';
import type { ComponentType } from 'react';
import { useQueues } from './queries.ts';

/** A counter of what waits in these queues; empty while unknown, and at 0. */
export const waitingIn = (...queues: readonly WaitingQueue[]): ComponentType =>
  function WaitingCount() {
    const figures = useQueues().data?.filter(({ queue }) => queues.includes(queue)) ?? [];
    return figures.reduce((sum, { waiting }) => sum + waiting, 0) || null;
  };
