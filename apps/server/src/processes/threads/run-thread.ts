import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { watchLoop } from '../../platform/loop-delay.ts';
import type { FromThread, ToThread } from './messages.ts';

export interface ThreadPart {
  onMessage?(message: ToThread): void;
  /** Resolves when the work is complete; absent when it never is. */
  readonly finished?: Promise<void>;
  stop(): Promise<void>;
}

export async function runThread<D>(
  start: (data: D, tell: (message: FromThread) => void) => Promise<ThreadPart>,
): Promise<void> {
  const port = parentPort;
  if (isMainThread || port === null) throw new Error('this script runs in a thread');
  const tell = (message: FromThread) => port.postMessage(message);
  const stopped = Promise.withResolvers<void>();
  let part: ThreadPart | null = null;
  port.on('message', (message: ToThread) => {
    if (message.kind === 'stop') stopped.resolve();
    else part?.onMessage?.(message);
  });
  const watch = watchLoop((delay) => tell({ kind: 'loop', delay }));
  part = await start(workerData as D, tell);
  tell({ kind: 'started' });
  const finished = part.finished?.then(() => tell({ kind: 'done' }));
  await Promise.race([stopped.promise, ...(finished ? [finished] : [])]);
  await part.stop();
  watch.stop();
  port.close();
}
