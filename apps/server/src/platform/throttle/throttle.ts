import { createHash } from 'node:crypto';
import type { Quota } from '@fairtick/protocol';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Pool } from '../db/database.ts';
import { BusyError } from '../fair-line.ts';
import { networkOf } from '../network.ts';
import type { Limits } from './limits.ts';
import { OrderCounts } from './order-counts.ts';
import { type QuotaOwner, Quotas } from './quotas.ts';
import { consume, secondsOf, ThrottledError } from './throttled.ts';

export { ThrottledError } from './throttled.ts';

const FAILED_LOGIN_WINDOW_S = 15 * 60;
/**
 * Kinds of guesses at secrets, each with a count of its own. Failed logins by a stranger who knows an account's name do
 * not block a logged-in customer or a recovery code; and a right code of one's own new factor does not reset another
 * count.
 */
export type Door = 'login' | 'session' | 'factor' | 'recovery' | 'recovery factor';

/** Guesses of one account that may queue in this process. */
const MAX_GUESSES_IN_LINE = 100;

/** Limits on attempts, counted in the database so that they hold across processes. */
export class Throttle {
  readonly #failed: Readonly<Record<Door, RateLimiterPostgres>>;
  readonly #logins: RateLimiterPostgres;
  readonly #registrations: RateLimiterPostgres;
  readonly #requests: RateLimiterPostgres;
  readonly #orders: OrderCounts;
  readonly #ordersPerSecond: number;
  readonly #quotas: Quotas;
  readonly #lines = new Map<string, { length: number; last: Promise<unknown> }>();

  /**
   * @param pools attempts without a session are counted over `public`, so that a flood of them delays no order
   * @param whose prefix that keeps counts of staff apart from those of customers, whatever account name is typed
   */
  constructor(pools: { public: Pool; orders: Pool }, limits: Limits, whose: '' | 'staff ' = '') {
    const counted = (name: string, points: number, duration: number) =>
      ({
        storeClient: pools.public,
        storeType: 'pool',
        tableName: 'throttles',
        tableCreated: true,
        clearExpiredByTimeout: true,
        keyPrefix: `${whose}${name}`,
        points,
        duration,
      }) as const;
    // A key over its limit is refused from memory until the minute is over, so that a flood costs the database no
    // queries.
    const perMinute = (keyPrefix: string, points: number) =>
      new RateLimiterPostgres({ ...counted(keyPrefix, points, 60), inMemoryBlockOnConsumed: points + 1 });
    const failed = (name: string) =>
      new RateLimiterPostgres(counted(name, limits.failedLoginsPerAccount, FAILED_LOGIN_WINDOW_S));
    this.#failed = {
      login: failed('failed'),
      session: failed('failed inside'),
      factor: failed('failed factor'),
      recovery: failed('failed recovery'),
      'recovery factor': failed('failed recovery factor'),
    };
    this.#logins = perMinute('login', limits.loginsPerAddress);
    this.#registrations = perMinute('register', limits.registrationsPerAddress);
    this.#requests = perMinute('recover', limits.registrationsPerAddress);
    this.#orders = new OrderCounts(pools.orders);
    this.#ordersPerSecond = limits.ordersPerCustomer;
    this.#quotas = new Quotas(pools, limits.quotaPercent);
  }

  /** @throws ThrottledError */
  async registration(address: string | null): Promise<void> {
    await consume(this.#registrations, networkOf(address));
  }

  /** Counts a call for help from before a login. @throws ThrottledError */
  async recoveryRequest(address: string | null): Promise<void> {
    await consume(this.#requests, networkOf(address));
  }

  /** Counts one login of an address. @throws ThrottledError */
  async login(address: string | null): Promise<void> {
    await consume(this.#logins, networkOf(address));
  }

  /**
   * Checks one guess at an account's secret, for a known or unknown account; a right guess resets the count. Guesses of
   * one account run one after the other, each counted before the next is checked, so that a hundred sent at once get no
   * more tries than the limit. (Processes do not coordinate, so each may check one more.)
   * @param place separate count for guesses from this place; empty: the common count
   * @throws ThrottledError when the account has failed too often, this guess included
   */
  async guess(
    account: string,
    isRight: () => Promise<boolean>,
    door: Door = 'login',
    place = '',
  ): Promise<boolean> {
    const key = `${keyOf(account)}${place && `:${place}`}`;
    const failed = this.#failed[door];
    await refuseLocked(failed, key);
    return this.#inLine(`${door} ${key}`, async () => {
      await refuseLocked(failed, key);
      if (await isRight()) {
        await failed.delete(key);
        return true;
      }
      await consume(failed, key);
      return false;
    });
  }

  /** @throws ThrottledError */
  async order(customerId: string): Promise<void> {
    if ((await this.#orders.add(customerId)) > this.#ordersPerSecond) throw new ThrottledError(1);
  }

  /** Counts one change against its operation's quota. @throws ThrottledError */
  async mutation(operation: string, quota: Exclude<Quota, 'own'>, of: QuotaOwner): Promise<void> {
    await this.#quotas.count(operation, quota, of);
  }

  async #inLine<T>(key: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key) ?? { length: 0, last: Promise.resolve() };
    if (line.length >= MAX_GUESSES_IN_LINE) throw new BusyError('too many guesses wait');
    const turn = line.last.then(work, work);
    this.#lines.set(key, { length: line.length + 1, last: turn });
    try {
      return await turn;
    } finally {
      const { length, last } = this.#lines.get(key) as { length: number; last: Promise<unknown> };
      if (length === 1) this.#lines.delete(key);
      else this.#lines.set(key, { length: length - 1, last });
    }
  }
}

/** The input may be any text; the hash bounds the key's length. */
function keyOf(account: string): string {
  return createHash('sha256').update(account.toLowerCase()).digest('base64url');
}

async function refuseLocked(limiter: RateLimiterPostgres, key: string): Promise<void> {
  const failed = await limiter.get(key);
  if (failed && failed.remainingPoints <= 0) throw new ThrottledError(secondsOf(failed));
}
