import type { Queryable } from '../../platform/db/database.ts';
import type { Asker } from '../../platform/fair-line.ts';
import { type AccountParts, type Guesser, meet, type Refusal, refuse } from './accounts.ts';
import type { Credentials } from './credentials.ts';
import { storedHash } from './passwords.ts';
import type { GivenFactor } from './second-factors.ts';

/**
 * Claims of an account whose password, second factors or recovery codes somebody else changed (decisions 122 and 153): for
 * 24 hours a former factor or code opens a claim, together with the present password or one replaced within that time. A
 * claim holds withdrawals and goes to two members of staff. It changes no credential: the server can't tell an owner who
 * threw out a thief from a thief who threw out the owner.
 */

/** The database keeps this many replaced passwords of a day. */
const FORMER_PASSWORDS = 3;

interface TakeBackForm extends GivenFactor {
  readonly account: string;
  readonly oldPassword: string;
  readonly contact: string;
  readonly text: string;
}

/** Opens a claim. Every session and the inbox are notified. */
export async function takeBack(
  parts: AccountParts,
  form: TakeBackForm,
  { caller, guess }: Guesser,
): Promise<Refusal | null> {
  const { customer, asker } = await meet(parts, form.account, caller);
  // A stranger's wrong passwords count per network and lock nobody out; guesses at the factor, which need the password,
  // count per account.
  const isRight = await guess('recovery', { account: form.account, place: asker.who }, () =>
    isOwner(parts, form.oldPassword, { customer, asker }),
  );
  if (!isRight || !customer) return refuse('TAKE_BACK_FAILED');
  const claim = async () => {
    const hasFactor = (await parts.formerFactors.check(customer.id, form)) === 'right';
    const codeHash = hasFactor ? null : storedHash(form.otp ?? '');
    const { rows } = await parts.publicPool.query<{ done: boolean }>(
      'select account_take_back($1, $2, $3, $4, $5) as done',
      [customer.id, codeHash, form.contact, form.text, caller.address],
    );
    return rows[0]?.done === true;
  };
  const isDone = await guess('recovery factor', { account: form.account }, claim);
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

/**
 * Whether the password is the present one or one replaced within the time. The number of hashes is always the same, so that
 * the time of an answer reveals neither whether the account exists nor whether its password was changed.
 */
async function isOwner(
  { publicPool, passwords }: AccountParts,
  password: string,
  { customer, asker }: { readonly customer: Credentials | null; readonly asker: Asker },
): Promise<boolean> {
  const former = await formerHashes(publicPool, customer?.id ?? '0');
  const hashes = [customer?.passwordHash ?? null];
  for (let index = 0; index < FORMER_PASSWORDS; index += 1) hashes.push(former[index] ?? null);
  let isRight = false;
  for (const hash of hashes) isRight = (await passwords.matches(password, hash, asker)) || isRight;
  return isRight;
}

async function formerHashes(db: Queryable, customerId: string): Promise<string[]> {
  const { rows } = await db.query<{ password_hash: string }>(
    `select password_hash from former_passwords where customer_id = $1 and lost_at > now() - take_back_time()
     order by id limit ${FORMER_PASSWORDS}`,
    [customerId],
  );
  return rows.map(({ password_hash }) => password_hash);
}
