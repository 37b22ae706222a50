import type { Queryable } from '../db/database.ts';
import { type AccountParts, type Credentials, findByAccount, type Refusal, refuse } from './accounts.ts';
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
  parts.passwords.refuseWhenFull();
  await parts.throttle.login(caller.address);
  if (isCommonPassword(form.password)) return refuse('PASSWORD_COMMON', 'password');
  const isDone = await parts.throttle.guess(form.account, async () => {
    const customer = await findOwner(parts, form);
    if (!customer) return false;
    const hasFactor = (await parts.formerFactors.check(customer.id, form)) === 'right';
    const codeHash = hasFactor ? null : storedHash(form.otp ?? '');
    const passwordHash = await parts.passwords.hash(form.password);
    const { rows } = await parts.publicPool.query<{ done: boolean }>(
      'select account_take_back($1, $2, $3) as done',
      [customer.id, codeHash, passwordHash],
    );
    return rows[0]?.done === true;
  });
  // One answer for everything: what of it was wrong is told to nobody.
  return isDone ? null : refuse('TAKE_BACK_FAILED');
}

/** What a former passkey is asked to sign. Counts as a guess, as at a login. */
export async function takeBackOptions(
  parts: AccountParts,
  form: { account: string; oldPassword: string },
  caller: Caller,
): Promise<Refusal | { options: string }> {
  parts.passwords.refuseWhenFull();
  await parts.throttle.login(caller.address);
  let options: string | null = null;
  await parts.throttle.guess(form.account, async () => {
    const customer = await findOwner(parts, form);
    if (customer) options = await parts.formerFactors.assertionOptions(customer.id);
    return false;
  });
  return options === null ? refuse('TAKE_BACK_FAILED') : { options };
}

/** Whose account it is, if the password is the present one or one that was replaced within the time. */
async function findOwner(
  { publicPool, passwords }: AccountParts,
  { account, oldPassword }: { account: string; oldPassword: string },
): Promise<Credentials | null> {
  const customer = await findByAccount(publicPool, account);
  const hashes = customer
    ? [customer.passwordHash, ...(await formerHashes(publicPool, customer.id))]
    : [null];
  for (const hash of hashes) if (await passwords.matches(oldPassword, hash)) return customer;
  return null;
}

async function formerHashes(db: Queryable, customerId: string): Promise<string[]> {
  const { rows } = await db.query<{ password_hash: string }>(
    'select password_hash from former_passwords where customer_id = $1 and lost_at > now() - take_back_time() order by id',
    [customerId],
  );
  return rows.map(({ password_hash }) => password_hash);
}
