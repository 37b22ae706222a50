import { setTimeout as sleep } from 'node:timers/promises';
import { runThread } from '../../../apps/server/src/processes/threads/run-thread.ts';

/** A thread's script that fails as told: at its start, after it, or never. */
await runThread<{ fails: 'at its start' | 'after it' | 'never' | 'never, and is done' }>(
  async ({ fails }, tell) => {
    if (fails === 'at its start') throw new Error('this one can not start');
    tell({ kind: 'made', productIds: [process.pid] });
    if (fails === 'after it') {
      setTimeout(() => {
        throw new Error('this one breaks');
      }, 20);
    }
    return {
      ...(fails === 'never, and is done' ? { finished: sleep(20) } : {}),
      stop: async () => tell({ kind: 'made', productIds: [0] }),
    };
  },
);
