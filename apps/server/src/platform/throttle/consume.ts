import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Pool } from '../db/database.ts';
import { ThrottledError } from '../http/throttled-error.ts';

/** @param isBlocking whether a key over its limit is refused from memory, so that a flood costs the database no queries */
export const limiterOf = (
  pool: Pool,
  {
    name,
    points,
    seconds,
    isBlocking = true,
  }: { name: string; points: number; seconds: number; isBlocking?: boolean },
): RateLimiterPostgres =>
  new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName: 'throttles',
    tableCreated: true,
    keyPrefix: name,
    points,
    duration: seconds,
    ...(isBlocking ? { inMemoryBlockOnConsumed: points + 1 } : {}),
    // The limiters of guesses delete all expired rows.
    clearExpiredByTimeout: !isBlocking,
  });

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
