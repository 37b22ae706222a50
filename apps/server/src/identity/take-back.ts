import type { Queryable } from '../db/database.ts';
import { type AccountParts, meet, type Refusal, refuse } from './accounts.ts';
import type { Credentials } from './credentials.ts';
import type { Asker } from './fair-line.ts';
import { isCommonPassword, storedHash } from './passwords.ts';
import type { GivenFactor } from './second-factors.ts';
import type { Caller } from './sessions.ts';

/**
 * Taking back an account whose second factors or recovery codes somebody else changed (decision 122): for 24 hours one of the
 * former ones does it, together with the password as it is or as it was within that time. Neither does anything alone: who found
 * old codes lacks the password, and who stole token and password lacks what was there before they came.
 */

interface TakeBackForm extends GivenFactor {
  readonly account: string;
  readonly oldPassword: string;
  readonly password: string;
}

/** Sets the account back to before the first loss, with a new password. Every session of it ends. */
export async function takeBack(
  parts: AccountParts,
  form: TakeBackForm,
  caller: Caller,
): Promise<Refusal | null> {
  const { customer, asker } = await meet(parts, form.account, caller);
  if (isCommonPassword(form.password)) return refuse('PASSWORD_COMMON', 'password');
  // A stranger's wrong words count at their own place and lock nobody out; who has the password tries factors of the account.
  const isRight = await parts.throttle.guess(
    form.account,
    () => isOwner(parts, form.oldPassword, { customer, asker }),
    'recovery',
    asker.who,
  );
  if (!isRight || !customer) return refuse('TAKE_BACK_FAILED');
  const setBack = async () => {
    const hasFactor = (await parts.formerFactors.check(customer.id, form)) === 'right';
    const codeHash = hasFactor ? null : storedHash(form.otp ?? '');
    const passwordHash = await parts.passwords.hash(form.password, asker);
    const { rows } = await parts.publicPool.query<{ done: boolean }>(
      'select account_take_back($1, $2, $3) as done',
      [customer.id, codeHash, passwordHash],
    );
    return rows[0]?.done === true;
  };
  const isDone = await parts.throttle.guess(form.account, setBack, 'recovery factor');
  // One answer for everything: what of it was wrong is told to nobody.
  return isDone ? null : refuse('TAKE_BACK_FAILED');
}

/** What a former passkey is asked to sign. Counts as a guess, as at a login. */
export async function takeBackOptions(
  parts: AccountParts,
  form: { account: string; oldPassword: string },
  caller: Caller,
): Promise<Refusal | { options: string }> {
  const { customer, asker } = await meet(parts, form.account, caller);
  let options: string | null = null;
  await parts.throttle.guess(
    form.account,
    async () => {
      const isRight = await isOwner(parts, form.oldPassword, { customer, asker });
      if (customer && isRight) options = await parts.formerFactors.assertionOptions(customer.id);
      return false;
    },
    'recovery',
    asker.who,
  );
  return options === null ? refuse('TAKE_BACK_FAILED') : { options };
}

/** Whether the password is the present one or one that was replaced within the time. An account that nobody has costs the same. */
async function isOwner(
  { publicPool, passwords }: AccountParts,
  password: string,
  { customer, asker }: { readonly customer: Credentials | null; readonly asker: Asker },
): Promise<boolean> {
  const hashes = customer
    ? [customer.passwordHash, ...(await formerHashes(publicPool, customer.id))]
    : [null];
  for (const hash of hashes) if (await passwords.matches(password, hash, asker)) return true;
  return false;
}

async function formerHashes(db: Queryable, customerId: string): Promise<string[]> {
  const { rows } = await db.query<{ password_hash: string }>(
    'select password_hash from former_passwords where customer_id = $1 and lost_at > now() - take_back_time() order by id',
    [customerId],
  );
  return rows.map(({ password_hash }) => password_hash);
}
