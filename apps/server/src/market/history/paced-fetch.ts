import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 1_048_576;
/** Pauses after failures grow from the first of these and are never longer than the last. */
const AGAIN_MS = { first: 1_000, most: 120_000 };
const TRIES = 3;
/** The pause before each question: far below any venue's limit. */
const PACE_MS = 300;

/** How quickly a venue is asked. */
export interface Pace {
  readonly paceMs: number;
  readonly againMs: number;
}
export const USUAL_PACE: Pace = { paceMs: PACE_MS, againMs: AGAIN_MS.first };

/** A venue that does not answer. */
export class NoAnswer extends Error {
  /** Whether it refused this question; others may be answered. */
  readonly isRefused: boolean;
  /** How long the venue asks to wait, ms. */
  readonly waitMs: number;

  constructor(message: string, { isRefused = false, waitMs = 0 } = {}) {
    super(message);
    this.isRefused = isRefused;
    this.waitMs = waitMs;
  }
}

/**
 * Asks until `read` takes the answer, {@link TRIES} times at most, with pauses that double or are as long as the venue says.
 * @throws NoAnswer, or what `read` or the network threw last
 */
export async function askVenue<T>(
  url: string,
  read: (text: string) => T,
  { pace, signal }: { pace: Pace; signal: AbortSignal },
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    await sleep(pace.paceMs, undefined, { signal });
    try {
      return read(await getText(url, signal));
    } catch (error) {
      const { isRefused, waitMs } = error instanceof NoAnswer ? error : { isRefused: false, waitMs: 0 };
      if (isRefused || tried === TRIES || signal.aborted) throw error;
      const again = Math.max(waitMs, pace.againMs * 2 ** (tried - 1));
      await sleep(Math.min(again, AGAIN_MS.most), undefined, { signal });
    }
  }
}

async function getText(url: string, stopping: AbortSignal): Promise<string> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(url, { redirect: 'error', signal, headers: { accept: 'application/json' } });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw refusal(response.status, response.headers.get('retry-after'));
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MOST_BYTES) throw new NoAnswer('its answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** 418 and 429: too many questions. 408 and 5xx pass. Other statuses say that this question has no answer. */
function refusal(status: number, retryAfter: string | null): NoAnswer {
  const isBusy = status === 418 || status === 429;
  const isPassing = isBusy || status === 408 || status >= 500;
  const said = retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : 0;
  const waitMs = status === 418 ? AGAIN_MS.most : said;
  return new NoAnswer(`it answers ${status}`, { isRefused: !isPassing, waitMs });
}
