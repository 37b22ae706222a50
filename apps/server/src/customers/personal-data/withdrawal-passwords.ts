import { call } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';
import type { KeyRing } from '../../platform/sealing/key-ring.ts';
import { openRecord, sealRecord } from '../../platform/sealing/records.ts';
import type { Passwords } from '../identity/passwords.ts';

const WITHDRAWAL_PASSWORD_TRIES = 5;
const HOUR_MS = 3_600_000;

interface Tried {
  readonly sealed: Buffer | null;
  readonly version: number;
  readonly failures: number;
  readonly locked_ms: string | null;
}

/**
 * The withdrawal password. The database grants a try before each check, so that parallel guesses at any
 * number of processes get no more than five.
 */
export class WithdrawalPasswords {
  readonly #pool: Pool;
  readonly #keys: KeyRing;
  readonly #passwords: Passwords;

  constructor(parts: { pool: Pool; keys: KeyRing; passwords: Passwords }) {
    this.#pool = parts.pool;
    this.#keys = parts.keys;
    this.#passwords = parts.passwords;
  }

  /**
   * Resolves when the withdrawal password is right, with its version, which changes with every change of the withdrawal password.
   * @param field form field of the refusal
   * @throws RefusalError PAY_WORD_NOT_SET, PAY_WORD_WRONG or PAY_WORD_LOCKED
   */
  async demand(customerId: string, password: string, field: string): Promise<number> {
    const { rows } = await this.#pool.query<Tried>('select * from withdrawal_password_try($1)', [customerId]);
    const tried = rows[0];
    if (!tried) throw refusalOf('PAY_WORD_NOT_SET', field);
    if (!tried.sealed) throw lockedUntil(tried.locked_ms, field);
    const { hash } = openRecord(this.#keys, bindingOf(customerId), tried.sealed);
    if (await this.#passwords.matches(password, hash, { kind: 'inside', who: customerId })) {
      const { version } = tried;
      // Unless it was changed since it was read, so that the withdrawal password that was right is obsolete.
      if (await call(this.#pool, 'withdrawal_password_right', { customer: customerId, version }))
        return version;
    }
    if (tried.failures >= WITHDRAWAL_PASSWORD_TRIES) throw lockedUntil(tried.locked_ms, field);
    const left = String(WITHDRAWAL_PASSWORD_TRIES - tried.failures);
    throw refusalOf('PAY_WORD_WRONG', field, { left });
  }

  /** @throws RefusalError */
  async set(customerId: string, password: string, oldPassword: string | undefined): Promise<void> {
    const isSet = (await this.#version(customerId)) !== null;
    if (isSet && oldPassword === undefined) throw refusalOf('OLD_PAY_WORD_REQUIRED', 'oldPayWord');
    // An old withdrawal password that is given where none is set is ignored.
    const version = isSet ? await this.demand(customerId, oldPassword as string, 'oldPayWord') : null;
    if (!(await this.#write(customerId, password, version)))
      throw refusalOf('OLD_PAY_WORD_REQUIRED', 'oldPayWord');
  }

  /** Sets it without the old one, for a customer who proved their identity otherwise. @throws RefusalError */
  async reset(customerId: string, password: string): Promise<void> {
    const version = await this.#version(customerId);
    if (version === null) throw new RefusalError('PAY_WORD_NOT_SET');
    // A concurrent change set another withdrawal password, which is not the forgotten one.
    if (!(await this.#write(customerId, password, version))) throw new RefusalError('NOT_READY');
  }

  async #write(customerId: string, password: string, version: number | null): Promise<boolean> {
    const hash = await this.#passwords.hash(password, { kind: 'inside', who: customerId });
    const sealed = sealRecord(this.#keys, bindingOf(customerId), { hash });
    return call(this.#pool, 'withdrawal_password_set', { customer: customerId, sealed, version });
  }

  async #version(customerId: string): Promise<number | null> {
    const { rows } = await this.#pool.query<{ version: number }>(
      'select version from withdrawal_passwords where customer_id = $1',
      [customerId],
    );
    return rows[0]?.version ?? null;
  }
}

const bindingOf = (customerId: string) =>
  ({ table: 'withdrawal_passwords', record: customerId, customer: customerId }) as const;

function lockedUntil(lockedMs: string | null, field: string): RefusalError {
  const hours = Math.max(1, Math.ceil((Number(lockedMs ?? 0) - Date.now()) / HOUR_MS));
  return refusalOf('PAY_WORD_LOCKED', field, { hours: String(hours) });
}
