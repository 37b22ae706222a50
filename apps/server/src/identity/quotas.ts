import type { Quota } from '@fairtick/protocol';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Pool } from '../db/database.ts';
import { consume } from './throttled.ts';

/** Whose requests are counted together: a customer's, a staff member's, or those of a network without a session. */
export type QuotaOwner =
  | { readonly customerId: string }
  | { readonly staffId: string }
  | { readonly network: string };

const MINUTE_S = 60;
const DAY_S = 86_400;

/** Counts what changes something against the quota of its operation, over all processes. */
export class Quotas {
  readonly #pools: { readonly public: Pool; readonly orders: Pool };
  readonly #percent: number;
  readonly #limiters = new Map<string, RateLimiterPostgres>();

  constructor(pools: { readonly public: Pool; readonly orders: Pool }, percent: number) {
    this.#pools = pools;
    this.#percent = percent;
  }

  /** @throws ThrottledError */
  async count(operation: string, { minute, day }: Exclude<Quota, 'own'>, of: QuotaOwner): Promise<void> {
    const isCustomer = 'customerId' in of;
    const whose = isCustomer ? of.customerId : 'staffId' in of ? `staff ${of.staffId}` : of.network;
    for (const [points, seconds] of [
      [minute, MINUTE_S],
      [day, DAY_S],
    ] as const) {
      await consume(this.#limiter(isCustomer, points, seconds), `${operation}:${whose}:${seconds}`);
    }
  }

  /** One for each number and time. Whoever is over it is refused from memory until the time is over. */
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
        // The other counters of the table remove what has expired.
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
