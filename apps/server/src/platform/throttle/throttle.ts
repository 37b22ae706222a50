import { createHash } from 'node:crypto';
import type { Attempt, GuessKind, Limit, Quota } from '@fairtick/protocol';
import type { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Pool } from '../db/database.ts';
import { BOUNDS } from '../fairness/bounds.ts';
import { type Asker, Line } from '../fairness/line.ts';
import type { Guess, Held } from '../http/context.ts';
import { ThrottledError } from '../http/throttled-error.ts';
import { networkOf, wideNetworkOf } from '../network.ts';
import type { Limits } from './attempt-limits.ts';
import { consume, limiterOf, secondsOf } from './consume.ts';
import { OrderCounts } from './order-counts.ts';
import { PART_OF_DEVICE, type QuotaOwner, Quotas } from './quotas.ts';

const FAILED_LOGIN_WINDOW_S = 15 * 60;
const MINUTE_S = 60;
const DAY_S = 86_400;
/** An address may use this part of its network's registrations of a day, so that its neighbours can register, too. */
const PART_OF_ADDRESS = 1 / 5;
/** The queues of which one must have room for the password check of an attempt. */
const QUEUES: Readonly<Record<Attempt, readonly Asker['kind'][]>> = {
  registration: ['anyone'],
  login: ['anyone', 'known'],
  recovery: ['anyone', 'known'],
  'recovery request': [],
};

interface PasswordLine {
  refuseWhenFull(...askers: readonly Asker[]): void;
}

/** Counts calls against the limits that operations declare, in the database so that they hold across processes. */
export class Throttle {
  readonly #failed: Readonly<Record<GuessKind, RateLimiterPostgres>>;
  readonly #attempts: Readonly<
    Record<Attempt, { readonly network: RateLimiterPostgres; readonly device?: RateLimiterPostgres }>
  >;
  readonly #registrationsOfDay: Readonly<Record<'address' | 'network', RateLimiterPostgres>>;
  readonly #orders: OrderCounts;
  readonly #ordersPerSecond: number;
  readonly #quotas: Quotas;
  readonly #passwords: PasswordLine;
  readonly #isStaff: boolean;
  readonly #guessing = new Line(BOUNDS.guesses);

  /**
   * @param pools attempts without a session are counted over `public`, so that a flood of them delays no order
   * @param whose counts of staff are apart from those of customers, whatever account name is typed
   */
  constructor(
    pools: { public: Pool; orders: Pool },
    limits: Limits,
    { passwords, whose }: { passwords: PasswordLine; whose: 'customers' | 'staff' },
  ) {
    this.#passwords = passwords;
    this.#isStaff = whose === 'staff';
    const counted = (name: string, points: number, seconds: number, isBlocking = true) =>
      limiterOf(pools.public, { name: this.#isStaff ? `staff ${name}` : name, points, seconds, isBlocking });
    const perMinute = (name: string, points: number) => counted(name, points, MINUTE_S);
    const registrations = (points: number) => counted('register day', points, DAY_S);
    this.#registrationsOfDay = {
      address: registrations(Math.ceil(limits.registrationsPerNetwork * PART_OF_ADDRESS)),
      network: registrations(limits.registrationsPerNetwork),
    };
    const failed = (name: string) =>
      counted(name, limits.failedLoginsPerAccount, FAILED_LOGIN_WINDOW_S, false);
    this.#failed = {
      login: failed('failed'),
      session: failed('failed inside'),
      factor: failed('failed factor'),
      recovery: failed('failed recovery'),
      'recovery factor': failed('failed recovery factor'),
    };
    const perNetworkOrDevice = (name: string, points: number) => ({
      network: perMinute(name, points),
      device: perMinute(`${name} device`, Math.ceil(points * PART_OF_DEVICE)),
    });
    const logins = perNetworkOrDevice('login', limits.loginsPerAddress);
    this.#attempts = {
      registration: { network: perMinute('register', limits.registrationsPerAddress) },
      login: logins,
      recovery: logins,
      'recovery request': perNetworkOrDevice('recover', limits.registrationsPerAddress),
    };
    this.#orders = new OrderCounts(pools.orders);
    this.#ordersPerSecond = limits.ordersPerCustomer;
    this.#quotas = new Quotas(pools, limits.quotaPercent);
  }

  async quota(operation: string, quota: Quota, of: QuotaOwner): Promise<void> {
    await this.#quotas.count(operation, quota, of);
  }

  /**
   * Counts a call against the rest of its limit, except guesses.
   * @param by `device`: the customer whose login the device remembers, with a count apart from the network's
   * @throws ThrottledError
   * @throws OverloadError when its password can't be checked soon; such a call is not counted
   */
  async call(
    { attempt, perSecond }: Limit,
    by: Readonly<Record<'address' | 'customerId' | 'device', string | null>>,
  ): Promise<void> {
    const { address, customerId } = by;
    if (attempt) await this.#attempt(attempt, networkOf(address), by.device);
    if (attempt === 'registration') {
      await consume(this.#registrationsOfDay.address, networkOf(address));
      await consume(this.#registrationsOfDay.network, wideNetworkOf(address));
    }
    if (perSecond && customerId !== null) {
      const place = await this.#orders.add(customerId);
      if (place > this.#ordersPerSecond) throw new ThrottledError(1);
    }
  }

  /** Processes do not coordinate, so each may check one more guess than the limit. */
  guesses({ guesses = [] }: Limit = {}): Guess {
    return (kind, { account, place = '', held }, isRight) => {
      if (!guesses.includes(kind)) throw new Error(`the operation declares no guesses of the kind ${kind}`);
      return this.#guess(kind, { key: `${keyOf(account)}${place && `:${place}`}`, held, isRight });
    };
  }

  async #attempt(kind: Attempt, network: string, device: string | null): Promise<void> {
    const queues = this.#isStaff ? (['staff'] as const) : QUEUES[kind];
    const whoIn = (queue: Asker['kind']) => (queue === 'known' && device !== null ? device : network);
    if (queues.length > 0)
      this.#passwords.refuseWhenFull(...queues.map((queue) => ({ kind: queue, who: whoIn(queue) })));
    const counts = this.#attempts[kind];
    if (device !== null && counts.device) await consume(counts.device, device);
    else await consume(counts.network, network);
  }

  /** Each guess is counted before the next is checked, so that a hundred sent at once get no more tries than the limit. */
  async #guess(
    kind: GuessKind,
    { key, held, isRight }: { key: string; held: Held | undefined; isRight: () => Promise<boolean> },
  ): Promise<boolean> {
    const failed = this.#failed[kind];
    await refuseLocked(failed, key, held);
    return this.#guessing.take({ kind: 'anyone', who: `${kind} ${key}` }, async () => {
      await refuseLocked(failed, key, held);
      if (await isRight()) {
        await failed.delete(key);
        return true;
      }
      const { remainingPoints } = await consume(failed, key, held?.code);
      if (remainingPoints === 0) await held?.tell();
      return false;
    });
  }
}

/** The input may be any text; the hash bounds the key's length. */
function keyOf(account: string): string {
  return createHash('sha256').update(account.toLowerCase()).digest('base64url');
}

async function refuseLocked(limiter: RateLimiterPostgres, key: string, held?: Held): Promise<void> {
  const failed = await limiter.get(key);
  if (failed && failed.remainingPoints <= 0) throw new ThrottledError(secondsOf(failed), held?.code);
}
