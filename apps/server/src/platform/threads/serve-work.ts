import { parentPort } from 'node:worker_threads';
import { RefusalError } from '../http/context.ts';
import type { Answer, Call, Work } from './work-thread.ts';

export function serveWork(work: Work): void {
  parentPort?.on('message', async ({ name, given }: Call) => {
    parentPort?.postMessage(await answerTo(work[name], given));
  });
}

async function answerTo(run: Work[string] | undefined, given: readonly unknown[]): Promise<Answer> {
  try {
    return { made: await run?.(...given) };
  } catch (error) {
    if (!(error instanceof RefusalError)) return { error: String(error) };
    const { code, parameters, fields } = error;
    return { code, parameters, fields };
  }
}
