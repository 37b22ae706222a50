import type { Language, UserInfo } from '@fairtick/protocol';
import { type Queryable, transaction } from '../../platform/db/database.ts';
import { type Guess, refusalOf } from '../../platform/http/context.ts';
import type { Caller, Session } from '../../platform/http/session.ts';
import { frozenLogin } from '../protection/freezes.ts';
import type { AccountParts, Guesser } from './account-parts.ts';
import { anyone, inside, type LoginAsker, loginAsker } from './askers.ts';
import { type Checked, CREDENTIALS, type Credentials, findByAccount, findById } from './credentials.ts';
import { passwordFault } from './password-strength.ts';
import { holdsCode, missingFactor, useCode } from './recovery-codes.ts';
import type { GivenFactor } from './second-factors.ts';
import { readUserInfo } from './user-info.ts';

/** Finds the account of a login, and the queue for the caller. */
export async function meet(
  parts: AccountParts,
  account: string,
  caller: Caller,
): Promise<LoginAsker & { readonly customer: Credentials | null }> {
  const customer = await findByAccount(parts.publicPool, account, anyone(caller).who);
  return { customer, ...loginAsker(caller, customer) };
}

type LoginFailure = 'LOGIN_FAILED' | 'OTP_REQUIRED' | 'OTP_WRONG' | 'ACCOUNT_CLOSED';

/**
 * Begins a session. A right password without its second factor counts as a failed guess until the factor is right too;
 * otherwise a caller with the password could try codes without limit. An unknown account costs the same work as a known
 * one.
 */
export async function login(
  parts: AccountParts,
  form: { account: string; password: string; language: Language } & GivenFactor,
  { caller, guess }: Guesser,
): Promise<{ token: string; userInfo: UserInfo }> {
  const { customer, asker, ...met } = await meet(parts, form.account, caller);
  const hasCode = met.place === '' && customer && (await holdsCode(parts.publicPool, customer.id, form.otp));
  const place = hasCode ? 'code' : met.place;
  const outcome: { failure: LoginFailure } = { failure: 'LOGIN_FAILED' };
  const isRight = await guess('login', guessesOf(parts, form, { customer, place }), async () => {
    const isPassword = await parts.passwords.matches(form.password, customer?.passwordHash ?? null, asker);
    if (!isPassword || !customer) return false;
    const failure = customer.isClosed ? 'ACCOUNT_CLOSED' : await factorFailure(parts, customer, form, place);
    if (failure !== null) outcome.failure = failure;
    return failure === null;
  });
  if (!customer || !isRight) {
    // A missing second factor is not yet a failed login.
    if (outcome.failure !== 'OTP_REQUIRED')
      await logFailedLogin(parts.publicPool, customer?.id ?? null, caller);
    throw refusalOf(outcome.failure, FAILED_FIELD[outcome.failure]);
  }
  return transaction(parts.publicPool, async (client) => {
    if (!(await isAsChecked(client, customer))) throw refusalOf('LOGIN_FAILED');
    const token = await parts.sessions.begin(client, customer.id, caller).catch((error) => {
      throw frozenLogin(error, form.language);
    });
    return { token, userInfo: await readUserInfo(parts, client, customer.id, form.language) };
  });
}

const FAILED_FIELD: Readonly<Record<LoginFailure, string | null>> = {
  LOGIN_FAILED: null,
  OTP_REQUIRED: 'otp',
  OTP_WRONG: 'otp',
  ACCOUNT_CLOSED: null,
};

async function factorFailure(
  parts: AccountParts,
  { id, hasSecondFactor }: Credentials,
  given: GivenFactor,
  place: string,
): Promise<'OTP_REQUIRED' | 'OTP_WRONG' | null> {
  // A code that let the caller past the wrong guesses of others is used up, also where no factor is on.
  if (place === 'code') return (await useCode(parts.publicPool, id, given.otp ?? '')) ? null : 'OTP_WRONG';
  return hasSecondFactor ? missingFactor(parts.publicFactors, parts.publicPool, id, given) : null;
}

/**
 * The count of a login's wrong guesses. All devices and networks that the account does not know have one together; otherwise
 * a stranger with many addresses had many guesses. Whoever uses it up keeps out the owner's new devices, too: the owner is
 * told, and the holder of a recovery code, which nobody can guess, has a count apart.
 */
const guessesOf = (
  { publicPool }: AccountParts,
  { account }: { readonly account: string },
  { customer, place }: { readonly customer: Credentials | null; readonly place: string },
): Parameters<Guess>[1] => ({
  account,
  place,
  held:
    place === ''
      ? {
          code: 'NEW_DEVICES_HELD',
          tell: async () => {
            await publicPool.query('select logins_held_tell($1)', [customer?.id ?? null]);
          },
        }
      : undefined,
});

/** The options that a passkey signs at a login. Counts as a guess, as {@link login} does. */
export async function passkeyOptions(
  parts: AccountParts,
  form: { account: string; password: string },
  { caller, guess }: Guesser,
): Promise<{ options: string }> {
  const { customer, asker, place } = await meet(parts, form.account, caller);
  const found: { isPassword: boolean; options: string | null } = { isPassword: false, options: null };
  await guess('login', guessesOf(parts, form, { customer, place }), async () => {
    found.isPassword = await parts.passwords.matches(form.password, customer?.passwordHash ?? null, asker);
    if (found.isPassword && customer) found.options = await parts.publicFactors.assertionOptions(customer.id);
    return false;
  });
  if (!customer || !found.isPassword) {
    await logFailedLogin(parts.publicPool, customer?.id ?? null, caller);
    throw refusalOf('LOGIN_FAILED');
  }
  if (found.options === null) throw refusalOf('FACTOR_NOT_FOUND');
  return { options: found.options };
}

/**
 * Whether the checked credentials are still the customer's, and locks them until the transaction ends. A change of the
 * password, a new second factor or the account's closing either waits for this lock and then ends the new session too,
 * or is seen here.
 */
async function isAsChecked(client: Queryable, customer: Checked): Promise<boolean> {
  const { rows } = await client.query<Checked>(
    `select ${CREDENTIALS} from customers where id = $1 for share`,
    [customer.id],
  );
  const [row] = rows;
  return (
    row?.passwordHash === customer.passwordHash &&
    row.hasSecondFactor === customer.hasSecondFactor &&
    !row.isClosed
  );
}

/** Changes the password; other sessions end. */
export async function setPassword(
  parts: AccountParts,
  session: Session,
  form: { oldPassword: string; password: string },
  { caller, guess }: Guesser,
): Promise<null> {
  const customer = await findById(parts.pool, session.customerId);
  // The old password is a proof, but only half of one where a second factor is on.
  if (customer.hasSecondFactor && !session.isProved) throw refusalOf('REAUTH_REQUIRED');
  const isRight = await guess('session', customer, () =>
    parts.passwords.matches(form.oldPassword, customer.passwordHash, inside(caller)),
  );
  if (!isRight) throw refusalOf('OLD_PASSWORD_WRONG', 'oldPassword');
  const fault = passwordFault(form.password, [customer.account, customer.nickname]);
  if (fault) throw refusalOf(fault, 'password');
  const newHash = await parts.passwords.hash(form.password, inside(caller));
  return transaction(parts.pool, async (client) => {
    // A concurrent change makes the checked password obsolete.
    const changed = await client.query(
      'update customers set password_hash = $2 where id = $1 and password_hash = $3',
      [customer.id, newHash, customer.passwordHash],
    );
    if (changed.rowCount === 0) throw refusalOf('OLD_PASSWORD_WRONG', 'oldPassword');
    await parts.sessions.endAll(client, customer.id, session);
    return null;
  });
}

/**
 * Checks the password, and the second factor where one is on, and renews the session's proof: it is proved and fresh again.
 * Changes of credentials and withdrawals need this proof.
 */
export async function reauthenticate(
  parts: AccountParts,
  session: Session,
  given: { password: string } & GivenFactor,
  { caller, guess }: Guesser,
): Promise<null> {
  const customer = await findById(parts.pool, session.customerId);
  const outcome: { failure: LoginFailure } = { failure: 'LOGIN_FAILED' };
  const isRight = await guess('session', customer, async () => {
    if (!(await parts.passwords.matches(given.password, customer.passwordHash, inside(caller)))) return false;
    const failure = customer.hasSecondFactor
      ? await missingFactor(parts.factors, parts.pool, customer.id, given)
      : null;
    if (failure !== null) outcome.failure = failure;
    return failure === null;
  });
  if (!isRight) throw refusalOf(outcome.failure, FAILED_FIELD[outcome.failure] ?? 'password');
  await parts.sessions.prove(session);
  return null;
}

/** One guess at the password by a logged-in customer: the same limit as a login's, but a count of its own. */
export async function passwordIsRight(
  parts: AccountParts,
  customerId: string,
  { password, caller, guess }: Guesser & { readonly password: string },
): Promise<boolean> {
  const customer = await findById(parts.pool, customerId);
  return guess('session', customer, () =>
    parts.passwords.matches(password, customer.passwordHash, inside(caller)),
  );
}

/** @param customerId null: no such account; logged like any other */
async function logFailedLogin(db: Queryable, customerId: string | null, caller: Caller): Promise<void> {
  await db.query(
    'insert into login_events (customer_id, is_success, user_agent, address) values ($1, false, $2, $3)',
    [customerId, caller.userAgent, caller.address],
  );
}
