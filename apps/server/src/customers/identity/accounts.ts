import type { ErrorCode, Language, UserInfo } from '@fairtick/protocol';
import type { Assets } from '../../platform/assets.ts';
import { readBalances } from '../../platform/balances.ts';
import { failureOf, type Pool, type Queryable, transaction } from '../../platform/db/database.ts';
import type { Context } from '../../platform/http/context.ts';
import type { Caller, Session } from '../../platform/http/session.ts';
import { hashInput } from '../../platform/request-hashes.ts';
import type { Destinations } from '../personal-data/destinations.ts';
import { readOwnLimits } from '../protection/own-limits.ts';
import { REASONS, type Reason } from '../verification/reasons.ts';
import { anyone, inside, type LoginAsker, loginAsker, type Marks } from './askers.ts';
import { type Checked, CREDENTIALS, type Credentials, findByAccount, findById } from './credentials.ts';
import { isCommonPassword, type Passwords } from './passwords.ts';
import { missingFactor, writeRecoveryCodes } from './recovery-codes.ts';
import type { GivenFactor, SecondFactors } from './second-factors.ts';
import type { Sessions } from './sessions.ts';
import { readStanding } from './standing.ts';

export interface AccountParts {
  readonly pool: Pool;
  /** Connections for requests without a session, so that a flood of these delays no customer. */
  readonly publicPool: Pool;
  readonly assets: Assets;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly destinations: Destinations;
  /** In live mode an account needs a country outside `restrictedRegions`, and the risk accepted. */
  readonly mode: 'demo' | 'live';
  readonly restrictedRegions: readonly string[];
  readonly factors: SecondFactors;
  /** The same factors over `publicPool`, for requests without a session. */
  readonly publicFactors: SecondFactors;
  readonly keys: Marks;
  /** Factors lost within the last 24 hours: they serve to take an account back, not to log in. */
  readonly formerFactors: SecondFactors;
}

/** The caller of an operation that checks a secret, and the guesses that its declaration allows. */
export type Guesser = Pick<Context, 'caller' | 'guess'>;

/** An expected refusal, with the form field at fault. */
export interface Refusal {
  readonly refused: ErrorCode;
  readonly field?: string;
}

export const refuse = (refused: ErrorCode, field?: string): Refusal =>
  field ? { refused, field } : { refused };
export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'refused' in value;

const PRACTICE_ASSET = 'DEMO';

export interface Registration {
  readonly account: string;
  readonly password: string;
  readonly country: string | null;
  readonly acceptsRisk: boolean;
  readonly language: Language;
}

/** Opens an account with its balances, practice money and recovery codes, and begins its first session. */
export async function register(
  parts: AccountParts,
  form: Registration,
  caller: Caller,
): Promise<Refusal | { token: string; userInfo: UserInfo; recoveryCodes: string[] }> {
  const missing = parts.mode === 'live' ? missingForLive(form, parts.restrictedRegions) : null;
  if (missing) return missing;
  if (isCommonPassword(form.password)) return refuse('PASSWORD_COMMON', 'password');
  const passwordHash = await parts.passwords.hash(form.password, anyone(caller));
  try {
    return await transaction(parts.publicPool, async (client) => {
      const customerId = await insertCustomer(client, form, passwordHash);
      await openFunds(client, parts.assets, customerId);
      const recoveryCodes = await writeRecoveryCodes(client, customerId);
      const token = await parts.sessions.begin(client, customerId, caller);
      return { token, userInfo: await readUserInfo(parts, client, customerId, form.language), recoveryCodes };
    });
  } catch (error) {
    if (failureOf(error) === '23505') return refuse('ACCOUNT_TAKEN', 'account');
    throw error;
  }
}

/** The database enforces both for every row (`schema/customers/limits.sql`). */
function missingForLive(
  { country, acceptsRisk }: Registration,
  restricted: readonly string[],
): Refusal | null {
  if (country === null) return refuse('COUNTRY_REQUIRED', 'country');
  if (restricted.includes(country)) return refuse('REGION_RESTRICTED', 'country');
  return acceptsRisk ? null : refuse('RISK_NOT_ACCEPTED', 'acceptRisk');
}

export async function insertCustomer(
  db: Queryable,
  form: Registration,
  passwordHash: string,
): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `insert into customers (account, nickname, password_hash, country, risk_accepted_at, language)
     values ($1, $1, $2, $3, case when $4 then now() end, $5) returning id`,
    [form.account, passwordHash, form.country, form.acceptsRisk, form.language],
  );
  return (rows[0] as { id: string }).id;
}

/** Opens the balances of all assets and books the first practice money. */
export async function openFunds(db: Queryable, assets: Assets, customerId: string): Promise<void> {
  await db.query('select ledger.open_balances($1)', [customerId]);
  const practice = assets.byCode(PRACTICE_ASSET);
  if (!practice) throw new Error('there is no practice asset');
  await db.query('select ledger.reset_practice($1, $2, $3, $4)', [
    'first',
    hashInput('practice', { customerId }),
    customerId,
    practice.id,
  ]);
}

/** Finds the account of a login, and the queue for the caller. */
export async function meet(
  parts: AccountParts,
  account: string,
  caller: Caller,
): Promise<LoginAsker & { readonly customer: Credentials | null }> {
  const customer = await findByAccount(parts.publicPool, account, anyone(caller).who);
  return { customer, ...loginAsker(parts.keys, caller, customer) };
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
): Promise<Refusal | { token: string; userInfo: UserInfo }> {
  const { customer, asker, place } = await meet(parts, form.account, caller);
  const outcome: { failure: LoginFailure } = { failure: 'LOGIN_FAILED' };
  const isRight = await guess('login', { account: form.account, place }, async () => {
    const isPassword = await parts.passwords.matches(form.password, customer?.passwordHash ?? null, asker);
    if (!isPassword || !customer) return false;
    const failure = customer.isClosed ? 'ACCOUNT_CLOSED' : await factorFailure(parts, customer, form);
    if (failure !== null) outcome.failure = failure;
    return failure === null;
  });
  if (!customer || !isRight) {
    // A missing second factor is not yet a failed login.
    if (outcome.failure !== 'OTP_REQUIRED')
      await logFailedLogin(parts.publicPool, customer?.id ?? null, caller);
    return refuse(outcome.failure, FAILED_FIELD[outcome.failure]);
  }
  return transaction(parts.publicPool, async (client) => {
    if (!(await isAsChecked(client, customer))) return refuse('LOGIN_FAILED');
    const token = await parts.sessions.begin(client, customer.id, caller);
    return { token, userInfo: await readUserInfo(parts, client, customer.id, form.language) };
  });
}

const FAILED_FIELD: Readonly<Record<LoginFailure, string | undefined>> = {
  LOGIN_FAILED: undefined,
  OTP_REQUIRED: 'otp',
  OTP_WRONG: 'otp',
  ACCOUNT_CLOSED: undefined,
};

const factorFailure = async (
  parts: AccountParts,
  { id, hasSecondFactor }: Credentials,
  given: GivenFactor,
): Promise<'OTP_REQUIRED' | 'OTP_WRONG' | null> =>
  hasSecondFactor ? missingFactor(parts.publicFactors, parts.publicPool, id, given) : null;

/** The options that a passkey signs at a login. Counts as a guess, as {@link login} does. */
export async function passkeyOptions(
  parts: AccountParts,
  form: { account: string; password: string },
  { caller, guess }: Guesser,
): Promise<Refusal | { options: string }> {
  const { customer, asker, place } = await meet(parts, form.account, caller);
  const found: { isPassword: boolean; options: string | null } = { isPassword: false, options: null };
  await guess('login', { account: form.account, place }, async () => {
    found.isPassword = await parts.passwords.matches(form.password, customer?.passwordHash ?? null, asker);
    if (found.isPassword && customer) found.options = await parts.publicFactors.assertionOptions(customer.id);
    return false;
  });
  if (!customer || !found.isPassword) {
    await logFailedLogin(parts.publicPool, customer?.id ?? null, caller);
    return refuse('LOGIN_FAILED');
  }
  return found.options === null ? refuse('FACTOR_NOT_FOUND') : { options: found.options };
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
): Promise<Refusal | null> {
  const customer = await findById(parts.pool, session.customerId);
  // The old password is a proof, but only half of one where a second factor is on.
  if (customer.hasSecondFactor && !session.isProved) return refuse('REAUTH_REQUIRED');
  const isRight = await guess('session', customer, () =>
    parts.passwords.matches(form.oldPassword, customer.passwordHash, inside(caller)),
  );
  if (!isRight) return refuse('OLD_PASSWORD_WRONG', 'oldPassword');
  if (isCommonPassword(form.password)) return refuse('PASSWORD_COMMON', 'password');
  const newHash = await parts.passwords.hash(form.password, inside(caller));
  return transaction(parts.pool, async (client) => {
    // A concurrent change makes the checked password obsolete.
    const changed = await client.query(
      'update customers set password_hash = $2 where id = $1 and password_hash = $3',
      [customer.id, newHash, customer.passwordHash],
    );
    if (changed.rowCount === 0) return refuse('OLD_PASSWORD_WRONG', 'oldPassword');
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
): Promise<Refusal | null> {
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
  if (!isRight) return refuse(outcome.failure, FAILED_FIELD[outcome.failure] ?? 'password');
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

/** The customer as the app stores it: getUserInfo. */
export async function readUserInfo(
  { assets, destinations }: Pick<AccountParts, 'assets' | 'destinations'>,
  db: Queryable,
  customerId: string,
  language: Language,
): Promise<UserInfo> {
  const { rows } = await db.query<{
    account: string;
    nickname: string;
    level: UserInfo['level'];
    real_status: UserInfo['realStatus'];
    reason: Reason | null;
    has_withdrawal_password: boolean;
    locked_ms: string | null;
    language: Language;
    watchlist: string[] | null;
  }>({
    name: 'customer-info',
    text: `select account, nickname, level, real_status, language, watchlist,
        exists (select from withdrawal_passwords w where w.customer_id = c.id) as has_withdrawal_password,
        (select floor(extract(epoch from w.locked_until) * 1000)::bigint from withdrawal_passwords w
         where w.customer_id = c.id and w.locked_until > now()) as locked_ms,
        (select v.reason from verifications v where v.customer_id = c.id and c.real_status = 'failed' order by v.id desc limit 1) as reason
      from customers c where id = $1`,
    values: [customerId],
  });
  const row = rows[0];
  if (!row) throw new Error(`no customer ${customerId}`);
  return {
    id: customerId,
    account: row.account,
    nickname: row.nickname,
    level: row.level,
    creditScore: (await readStanding(db, customerId)).creditScore,
    realStatus: row.real_status,
    realReason: row.reason && REASONS[row.reason][language],
    hasPayWord: row.has_withdrawal_password,
    payWordLockedUntil: row.locked_ms === null ? null : Number(row.locked_ms),
    addresses: await destinations.addresses(db, customerId),
    banks: await destinations.cards(db, customerId),
    balances: await readBalances(db, assets, customerId),
    ...(await readOwnLimits(db, assets, customerId)),
    language: row.language,
    watchlist: row.watchlist,
  };
}
