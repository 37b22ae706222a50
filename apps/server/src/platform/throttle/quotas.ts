import type { Quota } from '@fairtick/protocol';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Pool } from '../db/database.ts';
import { consume } from './consume.ts';

/** Owner of a quota's count: a customer, a staff member, or, without a session, a network or a known device. */
export type QuotaOwner =
  | { readonly customerId: string }
  | { readonly staffId: string }
  | { readonly network: string }
  /** A customer whose login this device remembers. */
  | { readonly device: string };

const MINUTE_S = 60;
/** A known device without a session has this part of a network's quota, apart from its network. */
export const PART_OF_DEVICE = 1 / 10;
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
    const part = 'device' in of ? PART_OF_DEVICE : 1;
    for (const [points, seconds] of [
      [minute, MINUTE_S],
      [day, DAY_S],
    ] as const) {
      await consume(
        this.#limiter(isCustomer, points * part, seconds),
        `${operation}:${nameOf(of)}:${seconds}`,
      );
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

function nameOf(of: QuotaOwner): string {
  if ('customerId' in of) return of.customerId;
  if ('staffId' in of) return `staff ${of.staffId}`;
  return 'device' in of ? `device ${of.device}` : of.network;
}
