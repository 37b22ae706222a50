import type { Quota } from '@fairtick/protocol';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Pool } from '../db/database.ts';
import { consume } from './consume.ts';

/** Owner of a quota's count: a customer, a staff member, or a network without a session. */
export type QuotaOwner =
  | { readonly customerId: string }
  | { readonly staffId: string }
  | { readonly network: string };

const MINUTE_S = 60;
const DAY_S = 86_400;

/** Counts changes against the quota of their operation, over all processes. */
export class Quotas {
  readonly #pools: { readonly public: Pool; readonly orders: Pool };
  readonly #percent: number;
  readonly #limiters = new Map<string, RateLimiterPostgres>();

  constructor(pools: { readonly public: Pool; readonly orders: Pool }, percent: number) {
    this.#pools = pools;
    this.#percent = percent;
  }

  /** @throws ThrottledError */
  async count(operation: string, { minute, day }: Quota, of: QuotaOwner): Promise<void> {
    const isCustomer = 'customerId' in of;
    const whose = isCustomer ? of.customerId : 'staffId' in of ? `staff ${of.staffId}` : of.network;
    for (const [points, seconds] of [
      [minute, MINUTE_S],
      [day, DAY_S],
    ] as const) {
      await consume(this.#limiter(isCustomer, points, seconds), `${operation}:${whose}:${seconds}`);
    }
  }

  /** One limiter per number and duration. A key over its limit is refused from memory until the duration is over. */
  #limiter(isCustomer: boolean, declared: number, seconds: number): RateLimiterPostgres {
    const points = Math.max(1, Math.floor((declared * this.#percent) / 100));
    const name = `${isCustomer}:${points}:${seconds}`;
    const limiter =
      this.#limiters.get(name) ??
      new RateLimiterPostgres({
        storeClient: isCustomer ? this.#pools.orders : this.#pools.public,
        storeType: 'pool',
        tableName: 'throttles',
        tableCreated: true,
        // The table's other limiters delete expired rows.
        clearExpiredByTimeout: false,
        keyPrefix: 'quota',
        points,
        duration: seconds,
        inMemoryBlockOnConsumed: points + 1,
      });
    this.#limiters.set(name, limiter);
    return limiter;
  }
}
