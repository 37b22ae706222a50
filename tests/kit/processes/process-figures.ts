import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import { seen } from '../waiting/until.ts';
import type { NodeProcess } from './node-process.ts';

/** The unit of /proc times, ms: USER_HZ is 100 on every Linux. */
const TICK_MS = 10;

/** Settings of a process whose heap can be read with {@link heapOf}. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

/** Bytes that a process's heap holds after a collection. */
export async function heapOf(inspected: NodeProcess): Promise<number> {
  const address = await seen(() => /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(inspected.output())?.[0], {
    what: 'the inspector',
  });
  const inspector = new WebSocket(address, { perMessageDeflate: false });
  await once(inspector, 'open');
  let id = 0;
  const ask = async (method: string): Promise<{ usedSize?: number }> => {
    id += 1;
    inspector.send(JSON.stringify({ id, method }));
    for (;;) {
      const [data] = (await once(inspector, 'message')) as [Buffer];
      const answer = JSON.parse(data.toString());
      if (answer.id === id) return answer.result;
    }
  };
  try {
    // What a first collection finalises, the second one frees.
    await ask('HeapProfiler.collectGarbage');
    await ask('HeapProfiler.collectGarbage');
    return (await ask('Runtime.getHeapUsage')).usedSize as number;
  } finally {
    inspector.terminate();
  }
}

/** Processor time (ms) that a process has used so far, without its children; with `thread`, that thread alone. Its first one has its number. */
export function processorMsOf(pid: number, thread?: number): number {
  const file = thread === undefined ? `/proc/${pid}/stat` : `/proc/${pid}/task/${thread}/stat`;
  const fields = (readFileSync(file, 'utf8').split(') ')[1] ?? '').split(' ');
  return [11, 12].reduce((sum, place) => sum + Number(fields[place]) * TICK_MS, 0);
}
