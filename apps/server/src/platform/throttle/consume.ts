import type { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { ThrottledError } from '../http/throttled-error.ts';

/** Counts one attempt. @throws ThrottledError when it exceeds the limit */
export async function consume(
  limiter: RateLimiterPostgres,
  key: string,
  code?: ThrottledError['code'],
): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key);
  } catch (refusal) {
    if (refusal instanceof Error) throw refusal;
    throw new ThrottledError(secondsOf(refusal as RateLimiterRes), code);
  }
}

export function secondsOf(result: RateLimiterRes): number {
  return Math.max(1, Math.ceil(result.msBeforeNext / 1000));
}
