import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** How long the app waits for an answer before it gives up, in ms. */
export const APP_WAITS_MS = 5_000;
const EVERY_MS = 50;

interface Visit {
  readonly origin: string;
  /** A loopback address that no flood uses. */
  readonly address: string;
  readonly path: string;
}

/** Answers to a visitor: how often each status came, or each error of a connection, and the longest wait in ms. */
export interface Answers {
  readonly statuses: Readonly<Record<string, number>>;
  readonly worstMs: number;
}

/**
 * Visits a path again and again while others flood the server. It has a thread of its own, so that a flood that this
 * process sends does not delay the visitor's clock. Each request makes a connection, and its wait includes that.
 */
export class HonestVisitor {
  readonly #worker: Worker;

  constructor(visit: Visit) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: visit });
  }

  /** Ends after the answer that the visitor waits for. */
  async stop(): Promise<Answers> {
    const answers = once(this.#worker, 'message');
    this.#worker.postMessage('stop');
    return (await answers)[0];
  }
}

async function visitUntilTold({ origin, address, path }: Visit, port: NonNullable<typeof parentPort>) {
  const statuses: Record<string, number> = {};
  let worstMs = 0;
  let isOver = false;
  port.once('message', () => {
    isOver = true;
  });
  while (!isOver) {
    const startedMs = performance.now();
    const status = await get(`${origin}${path}`, address);
    worstMs = Math.max(worstMs, performance.now() - startedMs);
    statuses[status] = (statuses[status] ?? 0) + 1;
    await sleep(EVERY_MS);
  }
  port.postMessage({ statuses, worstMs: Math.round(worstMs) } satisfies Answers);
}

const get = (url: string, localAddress: string): Promise<string> =>
  new Promise((resolve) => {
    const sent = request(url, { localAddress, agent: false }, (answer) =>
      answer.resume().on('end', () => resolve(String(answer.statusCode))),
    );
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    sent.end();
  });

if (!isMainThread && parentPort && workerData?.path) await visitUntilTold(workerData, parentPort);
