import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../feeds/live/ask.ts';

const TRIES = 3;
const MOST_AGAIN_MS = 120_000;

/** How quickly a venue is asked: the pause before each question, and the first after a failure. */
export interface Pace {
  readonly paceMs: number;
  readonly againMs: number;
}
/** Far below any venue's limit. */
export const USUAL_PACE: Pace = { paceMs: 300, againMs: 1_000 };

/** A venue gave no answer that can be used. */
export class NoAnswer extends Error {
  /** Whether it refused this question; others may be answered. 418 and 429: too many questions. 408 and 5xx pass. */
  readonly isRefused: boolean;

  constructor(fault: string, status: number | null) {
    super(fault);
    this.isRefused = status !== null && status < 500 && ![408, 418, 429].includes(status);
  }
}

/**
 * Asks until `read` takes the answer, {@link TRIES} times at most, with pauses that double or are as long as the venue says.
 * @throws NoAnswer, or what `read` threw last
 */
export async function askVenue<T>(
  url: string,
  read: (text: string) => T,
  { pace, signal }: { pace: Pace; signal: AbortSignal },
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    await sleep(pace.paceMs, undefined, { signal });
    const answer = await ask({ url }, signal);
    try {
      if ('text' in answer) return read(answer.text);
      throw new NoAnswer(answer.fault, answer.status);
    } catch (error) {
      const isRefused = error instanceof NoAnswer && error.isRefused;
      if (isRefused || tried === TRIES || signal.aborted) throw error;
    }
    const saidMs = 'text' in answer ? 0 : answer.waitMs;
    const againMs = Math.max(saidMs, pace.againMs * 2 ** (tried - 1));
    await sleep(Math.min(againMs, MOST_AGAIN_MS), undefined, { signal });
  }
}
