import { boundedText } from '../../../platform/bounded-text.ts';
import { faultOf, retryAfterMs, waitMsOf } from './line.ts';

const TIMEOUT_MS = 5_000;
const MOST_BYTES = 1 << 20;

/**
 * An answer's text, its time by the source's own clock, and the pages that browsers let read it; or the fault, the status of a refusal,
 * and how long the source is left alone.
 */
export type Answer =
  | { readonly text: string; readonly madeMs: number | null; readonly origins: string | null }
  | { readonly fault: string; readonly status: number | null; readonly waitMs: number };

/** Asks a source's history once. No redirect is followed. */
export async function ask(
  { url, headers = {} }: { readonly url: string; readonly headers?: Readonly<Record<string, string>> },
  stopping: AbortSignal,
): Promise<Answer> {
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: { accept: 'application/json', 'user-agent': 'fairtick', ...headers },
    });
    const { status } = response;
    if (status !== 200) {
      await response.body?.cancel();
      const waitMs = waitMsOf(status, retryAfterMs(response.headers.get('retry-after')));
      return { fault: `its history answers ${status}`, status, waitMs };
    }
    const text = await boundedText(response, MOST_BYTES);
    if (text === null) return { fault: 'its answer is too long', status: null, waitMs: 0 };
    const origins = response.headers.get('access-control-allow-origin');
    return { text, madeMs: madeMsOf(response.headers), origins };
  } catch (error) {
    const { cause } = error as Error;
    const fault = faultOf((cause instanceof Error ? cause : error) as NodeJS.ErrnoException);
    return { fault, status: null, waitMs: 0 };
  }
}

/** The header `Date`, less the time that the answer lay in a cache. */
function madeMsOf(headers: Headers): number | null {
  const ms = Date.parse(headers.get('date') ?? '');
  const ageS = headers.get('age') ?? '0';
  return Number.isFinite(ms) && /^\d{1,9}$/.test(ageS) ? ms - Number(ageS) * 1_000 : null;
}
