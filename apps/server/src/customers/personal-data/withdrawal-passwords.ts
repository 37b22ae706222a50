import { type Pool, type Queryable, transaction } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
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
    if (!tried) throw new RefusalError('PAY_WORD_NOT_SET', { fields: { [field]: 'PAY_WORD_NOT_SET' } });
    if (!tried.sealed) throw lockedUntil(tried.locked_ms, field);
    const { hash } = openRecord(this.#keys, bindingOf(customerId), tried.sealed);
    if (await this.#passwords.matches(password, hash, { kind: 'inside', who: customerId })) {
      const right = await this.#pool.query<{ done: boolean }>(
        'select withdrawal_password_right($1, $2) as done',
        [customerId, tried.version],
      );
      // Changed since it was read, so the withdrawal password that was right is obsolete.
      if (right.rows[0]?.done) return tried.version;
    }
    if (tried.failures >= WITHDRAWAL_PASSWORD_TRIES) throw lockedUntil(tried.locked_ms, field);
    throw new RefusalError('PAY_WORD_WRONG', {
      fields: { [field]: 'PAY_WORD_WRONG' },
      parameters: { left: String(WITHDRAWAL_PASSWORD_TRIES - tried.failures) },
    });
  }

  /** @throws RefusalError */
  async set(customerId: string, password: string, oldPassword: string | undefined): Promise<void> {
    const isSet = (await this.#version(this.#pool, customerId)) !== null;
    if (isSet && oldPassword === undefined) {
      throw new RefusalError('OLD_PAY_WORD_REQUIRED', { fields: { oldPayWord: 'OLD_PAY_WORD_REQUIRED' } });
    }
    // An old withdrawal password that is given where none is set is ignored.
    const version = isSet ? await this.demand(customerId, oldPassword as string, 'oldPayWord') : null;
    if (!(await this.#write(customerId, password, version))) {
      throw new RefusalError('OLD_PAY_WORD_REQUIRED', { fields: { oldPayWord: 'OLD_PAY_WORD_REQUIRED' } });
    }
  }

  /** Sets it without the old one, for a customer who proved their identity otherwise. @throws RefusalError */
  async reset(customerId: string, password: string): Promise<void> {
    const version = await this.#version(this.#pool, customerId);
    if (version === null) throw new RefusalError('PAY_WORD_NOT_SET');
    // A concurrent change set another withdrawal password, which is not the forgotten one.
    if (!(await this.#write(customerId, password, version))) throw new RefusalError('NOT_READY');
  }

  async #write(customerId: string, password: string, version: number | null): Promise<boolean> {
    const hash = await this.#passwords.hash(password, { kind: 'inside', who: customerId });
    const sealed = sealRecord(this.#keys, bindingOf(customerId), { hash });
    return transaction(this.#pool, async (client) => {
      const { rows } = await client.query<{ done: boolean }>(
        'select withdrawal_password_set($1, $2, $3) as done',
        [customerId, sealed, version],
      );
      return rows[0]?.done === true;
    });
  }

  async #version(db: Queryable, customerId: string): Promise<number | null> {
    const { rows } = await db.query<{ version: number }>(
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
  return new RefusalError('PAY_WORD_LOCKED', {
    fields: { [field]: 'PAY_WORD_LOCKED' },
    parameters: { hours: String(hours) },
  });
}
