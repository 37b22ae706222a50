import type { Pool, Queryable } from '../../platform/db/database.ts';
import { hashRecoveryCode, newRecoveryCodes, storedHash } from './passwords.ts';
import type { GivenFactor, SecondFactors } from './second-factors.ts';

/**
 * Recovery codes. Any two of password, second factor and code open an account: a code sets a new password, together with
 * the second factor where one is on; and at a login a code replaces the second factor. Each code works once.
 */

const IS_GOOD = 'used_at is null and (expires_at is null or expires_at > now())';

/** Replaces all codes by new ones, which are shown once; the code of an approved claim stays. */
export async function writeRecoveryCodes(db: Queryable, customerId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await db.query(
    'delete from recovery_codes where customer_id = $1 and (expires_at is null or claim_approved($1) is null)',
    [customerId],
  );
  await db.query(
    'insert into recovery_codes (customer_id, code_hash) select $1, * from unnest($2::bytea[])',
    [customerId, codes.map(hashRecoveryCode)],
  );
  return codes;
}

/**
 * The refusal for a second factor that is absent or wrong; null: it is right, or none is on. A recovery code counts as a
 * factor.
 */
export async function missingFactor(
  factors: SecondFactors,
  pool: Pool,
  customerId: string,
  given: GivenFactor,
): Promise<'OTP_REQUIRED' | 'OTP_WRONG' | null> {
  const verdict = await factors.check(customerId, given);
  if (verdict === 'right' || verdict === 'unset') return null;
  if (verdict === 'absent') return 'OTP_REQUIRED';
  const isCode = given.otp !== undefined && (await useCode(pool, customerId, given.otp));
  return isCode ? null : 'OTP_WRONG';
}

/** Whether the text is a recovery code of the customer that works; it is not used up. */
export async function holdsCode(db: Queryable, customerId: string, code = ''): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from recovery_codes where customer_id = $1 and code_hash = $2 and ${IS_GOOD}`,
    [customerId, storedHash(code)],
  );
  return rowCount === 1;
}

export async function useCode(db: Queryable, customerId: string, code: string): Promise<boolean> {
  const { rowCount } = await db.query(
    // Locks the customer first, as every function does, because a code may change the customer.
    `with owner as (select id from customers where id = $1 for no key update)
     update recovery_codes r set used_at = now() from owner o
     where r.customer_id = o.id and r.code_hash = $2 and ${IS_GOOD}`,
    [customerId, storedHash(code)],
  );
  return rowCount === 1;
}
