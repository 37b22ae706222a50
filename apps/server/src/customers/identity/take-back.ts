import type { Queryable } from '../../platform/db/database.ts';
import type { Asker } from '../../platform/fair-line.ts';
import { type AccountParts, type Guesser, meet, type Refusal, refuse } from './accounts.ts';
import type { Credentials } from './credentials.ts';
import { isCommonPassword, storedHash } from './passwords.ts';
import type { GivenFactor } from './second-factors.ts';

/**
 * Taking back an account whose second factors or recovery codes somebody else changed (decision 122): for 24 hours a
 * former factor or code does it, together with the present password or one replaced within that time. Each alone is not
 * enough: a finder of old codes lacks the password, and a thief of token and password lacks the earlier factors.
 */

interface TakeBackForm extends GivenFactor {
  readonly account: string;
  readonly oldPassword: string;
  readonly password: string;
}

/** Restores the account to its state before the first loss, with a new password. Ends every session. */
export async function takeBack(
  parts: AccountParts,
  form: TakeBackForm,
  { caller, guess }: Guesser,
): Promise<Refusal | null> {
  const { customer, asker } = await meet(parts, form.account, caller);
  if (isCommonPassword(form.password)) return refuse('PASSWORD_COMMON', 'password');
  // A stranger's wrong passwords count per network and lock nobody out; guesses at the factor, which need the password,
  // count per account.
  const isRight = await guess('recovery', { account: form.account, place: asker.who }, () =>
    isOwner(parts, form.oldPassword, { customer, asker }),
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
  const isDone = await guess('recovery factor', { account: form.account }, setBack);
  // One refusal for every reason, so that it does not reveal which part was wrong.
  return isDone ? null : refuse('TAKE_BACK_FAILED');
}

/** The options that a former passkey signs. Counts as a guess, as at a login. */
export async function takeBackOptions(
  parts: AccountParts,
  form: { account: string; oldPassword: string },
  { caller, guess }: Guesser,
): Promise<Refusal | { options: string }> {
  const { customer, asker } = await meet(parts, form.account, caller);
  let options: string | null = null;
  await guess('recovery', { account: form.account, place: asker.who }, async () => {
    const isRight = await isOwner(parts, form.oldPassword, { customer, asker });
    if (customer && isRight) options = await parts.formerFactors.assertionOptions(customer.id);
    return false;
  });
  return options === null ? refuse('TAKE_BACK_FAILED') : { options };
}

/** Whether the password is the present one or one replaced within the time. An unknown account costs the same work. */
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
