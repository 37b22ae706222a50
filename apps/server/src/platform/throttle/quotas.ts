import type { Quota } from '@fairtick/protocol';
import type { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Pool } from '../db/database.ts';
import { consume, limiterOf } from './consume.ts';

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

export class Quotas {
  readonly #pools: { readonly public: Pool; readonly orders: Pool };
  readonly #percent: number;
  readonly #limiters = new Map<string, RateLimiterPostgres>();

  constructor(pools: { readonly public: Pool; readonly orders: Pool }, percent: number) {
    this.#pools = pools;
    this.#percent = percent;
  }

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

  /** One limiter per number and duration. */
  #limiter(isCustomer: boolean, declared: number, seconds: number): RateLimiterPostgres {
    const points = Math.max(1, Math.floor((declared * this.#percent) / 100));
    const name = `${isCustomer}:${points}:${seconds}`;
    const limiter =
      this.#limiters.get(name) ??
      limiterOf(isCustomer ? this.#pools.orders : this.#pools.public, { name: 'quota', points, seconds });
    this.#limiters.set(name, limiter);
    return limiter;
  }
}

function nameOf(of: QuotaOwner): string {
  if ('customerId' in of) return of.customerId;
  if ('staffId' in of) return `staff ${of.staffId}`;
  return 'device' in of ? `device ${of.device}` : of.network;
}
