import { faultOf } from './line.ts';
import type { Request } from './record-history.ts';

const TIMEOUT_MS = 5_000;
const MOST_BYTES = 1 << 20;
/** How long a source that answers 418 (banned for a time) is left alone, and 429 without a Retry-After. */
const BANNED_MS = 120_000;
const LIMITED_MS = 60_000;
const DENIED_MS = 300_000;
const MOST_WAIT_MS = 86_400_000;

/**
 * An answer's text, its time by the source's own clock, and the pages that browsers let read it; or the fault, and how long the source
 * asks to wait.
 */
export type Answer =
  | { readonly text: string; readonly madeMs: number | null; readonly origins: string | null }
  | { readonly fault: string; readonly isNotFound: boolean; readonly waitMs: number };

/** Asks once. No redirect is followed. */
export async function ask(
  { url, headers }: Pick<Request, 'url' | 'headers'>,
  stopping: AbortSignal,
): Promise<Answer> {
  try {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(url, {
      redirect: 'error',
      signal,
      headers: { accept: 'application/json', 'user-agent': 'fairtick', ...headers },
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return refusalOf(response);
    }
    const text = await textOf(response);
    if (text === null) return { fault: 'its answer is too long', isNotFound: false, waitMs: 0 };
    const origins = response.headers.get('access-control-allow-origin');
    return { text, madeMs: madeMsOf(response.headers), origins };
  } catch (error) {
    const { cause } = error as Error;
    const why = faultOf((cause instanceof Error ? cause : error) as NodeJS.ErrnoException);
    return { fault: why, isNotFound: false, waitMs: 0 };
  }
}

async function textOf(response: Response): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MOST_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** The header `Date`, less the time that the answer lay in a cache. */
function madeMsOf(headers: Headers): number | null {
  const ms = Date.parse(headers.get('date') ?? '');
  const ageS = headers.get('age') ?? '0';
  return Number.isFinite(ms) && /^\d{1,9}$/.test(ageS) ? ms - Number(ageS) * 1_000 : null;
}

function refusalOf({ status, headers }: Response): Answer {
  const retry = headers.get('retry-after') ?? '';
  const waitedMs = /^\d{1,6}$/.test(retry) ? Number(retry) * 1_000 : Date.parse(retry) - Date.now();
  const saidMs = waitedMs > 0 ? Math.min(waitedMs, MOST_WAIT_MS) : 0;
  const ownMs =
    status === 418
      ? BANNED_MS
      : status === 429 && saidMs === 0
        ? LIMITED_MS
        : isDenied(status)
          ? DENIED_MS
          : 0;
  return {
    fault: `its history answers ${status}`,
    isNotFound: status === 404,
    waitMs: Math.max(saidMs, ownMs),
  };
}

const isDenied = (status: number): boolean => status === 401 || status === 403;
