import { createHash } from 'node:crypto';
import type { Quota } from '@fairtick/protocol';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Limits } from '../config.ts';
import type { Pool } from '../db/database.ts';
import { networkOf } from '../network.ts';
import { BusyError } from './fair-line.ts';
import { OrderCounts } from './order-counts.ts';
import { type QuotaOwner, Quotas } from './quotas.ts';
import { consume, secondsOf, ThrottledError } from './throttled.ts';

export { ThrottledError } from './throttled.ts';

const FAILED_LOGIN_WINDOW_S = 15 * 60;
/**
 * Where a secret is guessed at; each counts by itself. What anybody may try at a login, knowing an account's name, holds up
 * nobody who is inside and no recovery code; and a code of one's own new factor, which one knows, forgives nothing elsewhere.
 */
export type Door = 'login' | 'session' | 'factor' | 'recovery' | 'recovery factor';

/** So many guesses of one account may stand in line in this process. */
const MAX_GUESSES_IN_LINE = 100;

/**
 * Limits on attempts. All are counted in the database, so that they hold across processes.
 */
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
   * @param pools what anybody may try is counted over `public`, so that a flood of it holds up no order
   * @param whose staff and customers are counted apart, whatever they type as an account
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
    // Whoever is over the limit is refused from memory until the minute is over: a flood costs the database nothing.
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

  /** A call for help from before a login. @throws ThrottledError */
  async recoveryRequest(address: string | null): Promise<void> {
    await consume(this.#requests, networkOf(address));
  }

  /** Counts one login of an address. @throws ThrottledError */
  async login(address: string | null): Promise<void> {
    await consume(this.#logins, networkOf(address));
  }

  /**
   * Lets one guess at an account's secret through, known account or not; a right one forgives those before it. Guesses
   * of one account follow one another, each counted before the next is looked at: a hundred sent at once get no more
   * tries than the limit. (Processes do not wait for one another, so each may look at one more.)
   * @param place where guesses are counted apart from those made anywhere else; empty: anywhere
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

  /** Counts one of what changes something, by its quota. @throws ThrottledError */
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

/** Anything may be typed as an account: the counter's key has a bounded length whatever it is. */
function keyOf(account: string): string {
  return createHash('sha256').update(account.toLowerCase()).digest('base64url');
}

async function refuseLocked(limiter: RateLimiterPostgres, key: string): Promise<void> {
  const failed = await limiter.get(key);
  if (failed && failed.remainingPoints <= 0) throw new ThrottledError(secondsOf(failed));
}
