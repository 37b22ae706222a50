import { formatDecimal } from '@fairtick/money';
import type { ErrorCode, Language, UserInfo } from '@fairtick/protocol';
import type { Assets } from '../assets.ts';
import { type Pool, type Queryable, sqlState, transaction } from '../db/database.ts';
import { hashInput } from '../idempotency.ts';
import type { Destinations } from '../personal-data/destinations.ts';
import { readOwnLimits } from '../protection/own-limits.ts';
import { REASONS, type Reason } from '../verification/reasons.ts';
import { hashRecoveryCode, isCommonPassword, newRecoveryCodes, type Passwords } from './passwords.ts';
import type { Caller, Session, Sessions } from './sessions.ts';
import { readStanding } from './standing.ts';
import type { Throttle } from './throttle.ts';

export interface AccountParts {
  readonly pool: Pool;
  /** What anybody may ask for without a session runs here: a flood of it waits for itself, and holds up no customer. */
  readonly publicPool: Pool;
  readonly assets: Assets;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly throttle: Throttle;
  readonly destinations: Destinations;
  /** In live mode an account needs a country that is not among these, and the risk accepted. */
  readonly mode: 'demo' | 'live';
  readonly restrictedRegions: readonly string[];
}

/** An expected refusal, with the form field that it is about. */
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
  parts.passwords.refuseWhenFull();
  await parts.throttle.registration(caller.address);
  const missing = parts.mode === 'live' ? missingForLive(form, parts.restrictedRegions) : null;
  if (missing) return missing;
  if (isCommonPassword(form.password)) return refuse('PASSWORD_COMMON', 'password');
  const passwordHash = await parts.passwords.hash(form.password);
  try {
    return await transaction(parts.publicPool, async (client) => {
      const customerId = await insertCustomer(client, form, passwordHash);
      await openFunds(client, parts.assets, customerId);
      const recoveryCodes = newRecoveryCodes();
      await client.query(
        'insert into recovery_codes (customer_id, code_hash) select $1, * from unnest($2::bytea[])',
        [customerId, recoveryCodes.map(hashRecoveryCode)],
      );
      const token = await parts.sessions.begin(client, customerId, caller);
      await logLogin(client, customerId, true, caller);
      return { token, userInfo: await readUserInfo(parts, client, customerId, form.language), recoveryCodes };
    });
  } catch (error) {
    if (sqlState(error) === '23505') return refuse('ACCOUNT_TAKEN', 'account');
    throw error;
  }
}

/** The database demands the same two of every row (migration 026). */
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

/** Balances of all assets, and the first practice money. */
export async function openFunds(db: Queryable, assets: Assets, customerId: string): Promise<void> {
  await db.query('select ledger.open_balances($1)', [customerId]);
  const practice = assets.byCode(PRACTICE_ASSET);
  if (!practice) throw new Error('there is no practice asset');
  await db.query('select ledger.reset_practice($1, $2, $3, $4)', [
    `practice:${customerId}:first`,
    hashInput('practice', { customerId }),
    customerId,
    practice.id,
  ]);
}

export async function login(
  parts: AccountParts,
  form: { account: string; password: string; language: Language },
  caller: Caller,
): Promise<Refusal | { token: string; userInfo: UserInfo }> {
  parts.passwords.refuseWhenFull();
  await parts.throttle.login(caller.address);
  const customer = await findByAccount(parts.publicPool, form.account);
  const isRight = await parts.throttle.guess(form.account, () =>
    parts.passwords.matches(form.password, customer?.passwordHash ?? null),
  );
  if (!customer || !isRight) {
    if (customer) await logLogin(parts.publicPool, customer.id, false, caller);
    return refuse('LOGIN_FAILED');
  }
  return transaction(parts.publicPool, async (client) => {
    if (!(await holdsPassword(client, customer))) return refuse('LOGIN_FAILED');
    const token = await parts.sessions.begin(client, customer.id, caller);
    await logLogin(client, customer.id, true, caller);
    return { token, userInfo: await readUserInfo(parts, client, customer.id, form.language) };
  });
}

/**
 * Whether the password that was checked is still the customer's, and stays it until the transaction ends: whoever
 * changes it waits for us and then ends our session too, or we see the change.
 */
async function holdsPassword(client: Queryable, customer: Credentials): Promise<boolean> {
  const { rows } = await client.query<{ password_hash: string }>(
    'select password_hash from customers where id = $1 for share',
    [customer.id],
  );
  return rows[0]?.password_hash === customer.passwordHash;
}

/** Sets a new password by a recovery code, which is then used up. Every session of the account ends. */
export async function recover(
  parts: AccountParts,
  form: { account: string; recoveryCode: string; password: string },
  caller: Caller,
): Promise<Refusal | null> {
  parts.passwords.refuseWhenFull();
  await parts.throttle.login(caller.address);
  if (isCommonPassword(form.password)) return refuse('PASSWORD_COMMON', 'password');
  // The work of a hash is done whether the account and the code exist or not.
  const isDone = await parts.throttle.guess(form.account, async () => {
    const passwordHash = await parts.passwords.hash(form.password);
    return transaction(parts.publicPool, (client) => redeemCode(parts, client, { ...form, passwordHash }));
  });
  return isDone ? null : refuse('RECOVERY_FAILED', 'recoveryCode');
}

async function redeemCode(
  parts: AccountParts,
  client: Queryable,
  form: { account: string; recoveryCode: string; passwordHash: string },
): Promise<boolean> {
  const { rows } = await client.query<{ customer_id: string }>(
    `update recovery_codes r set used_at = now() from customers c
     where lower(c.account) = $1 and r.customer_id = c.id and r.code_hash = $2 and r.used_at is null
     returning r.customer_id`,
    [lookUpKey(form.account), hashRecoveryCode(form.recoveryCode)],
  );
  const customerId = rows[0]?.customer_id;
  if (customerId === undefined) return false;
  await client.query('update customers set password_hash = $2 where id = $1', [
    customerId,
    form.passwordHash,
  ]);
  await parts.sessions.endAll(client, customerId, null);
  return true;
}

/** Changes the password; other sessions end. */
export async function setPassword(
  parts: AccountParts,
  session: Session,
  form: { oldPassword: string; password: string },
): Promise<Refusal | null> {
  const customer = await findById(parts.pool, session.customerId);
  const isRight = await parts.throttle.guess(
    customer.account,
    () => parts.passwords.matches(form.oldPassword, customer.passwordHash),
    'session',
  );
  if (!isRight) return refuse('OLD_PASSWORD_WRONG', 'oldPassword');
  if (isCommonPassword(form.password)) return refuse('PASSWORD_COMMON', 'password');
  const newHash = await parts.passwords.hash(form.password);
  return transaction(parts.pool, async (client) => {
    // Somebody may have changed it meanwhile: then the old one was not the old one any more.
    const changed = await client.query(
      'update customers set password_hash = $2 where id = $1 and password_hash = $3',
      [customer.id, newHash, customer.passwordHash],
    );
    if (changed.rowCount === 0) return refuse('OLD_PASSWORD_WRONG', 'oldPassword');
    await parts.sessions.endAll(client, customer.id, session);
    return null;
  });
}

/** Gives the password again, so that money may move and credentials change for an hour of use. */
export async function reauthenticate(
  parts: AccountParts,
  session: Session,
  password: string,
): Promise<Refusal | null> {
  if (!(await passwordIsRight(parts, session.customerId, password)))
    return refuse('LOGIN_FAILED', 'password');
  await parts.sessions.refresh(session);
  return null;
}

/** One guess at the password of whoever is logged in, limited as a login's are, and counted apart from them. */
export async function passwordIsRight(
  parts: AccountParts,
  customerId: string,
  password: string,
): Promise<boolean> {
  const { account, passwordHash } = await findById(parts.pool, customerId);
  return parts.throttle.guess(account, () => parts.passwords.matches(password, passwordHash), 'session');
}

export async function requestRecovery(
  parts: AccountParts,
  form: { account: string; contact: string; text: string },
  caller: Caller,
): Promise<void> {
  await parts.throttle.recoveryRequest(caller.address);
  await parts.publicPool.query(
    'insert into recovery_requests (account, contact, text, address) values ($1, $2, $3, $4)',
    [form.account, form.contact, form.text, caller.address],
  );
}

interface Credentials {
  readonly id: string;
  readonly account: string;
  readonly passwordHash: string;
}

/**
 * What an account is found by. Lower case is made here and of ASCII letters only: the database's own reading of other
 * letters (a Turkish dotted I is an i to it) would find one account under many names, each with tries of its own. What
 * could not be an account is looked up all the same, as a name that nobody has.
 */
function lookUpKey(account: string): string {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(account) ? account.toLowerCase() : '';
}

async function findByAccount(db: Queryable, account: string): Promise<Credentials | null> {
  const { rows } = await db.query<{ id: string; account: string; password_hash: string }>(
    'select id, account, password_hash from customers where lower(account) = $1',
    [lookUpKey(account)],
  );
  const row = rows[0];
  return row ? { id: row.id, account: row.account, passwordHash: row.password_hash } : null;
}

async function findById(db: Queryable, customerId: string): Promise<Credentials> {
  const { rows } = await db.query<{ id: string; account: string; password_hash: string }>(
    'select id, account, password_hash from customers where id = $1',
    [customerId],
  );
  const row = rows[0];
  if (!row) throw new Error(`no customer ${customerId}`);
  return { id: row.id, account: row.account, passwordHash: row.password_hash };
}

async function logLogin(
  db: Queryable,
  customerId: string,
  isSuccess: boolean,
  caller: Caller,
): Promise<void> {
  await db.query(
    'insert into login_events (customer_id, is_success, user_agent, address) values ($1, $2, $3, $4)',
    [customerId, isSuccess, caller.userAgent, caller.address],
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
    has_pay_word: boolean;
    locked_ms: string | null;
    language: Language;
    watchlist: string[];
  }>({
    name: 'customer-info',
    text: `select account, nickname, level, real_status, language, watchlist,
        exists (select from pay_words w where w.customer_id = c.id) as has_pay_word,
        (select floor(extract(epoch from w.locked_until) * 1000)::bigint from pay_words w
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
    hasPayWord: row.has_pay_word,
    payWordLockedUntil: row.locked_ms === null ? null : Number(row.locked_ms),
    addresses: await destinations.addresses(db, customerId),
    banks: await destinations.cards(db, customerId),
    balances: await readBalances(db, assets, customerId),
    ...(await readOwnLimits(db, assets, customerId)),
    language: row.language,
    watchlist: row.watchlist,
  };
}

export async function readBalances(
  db: Queryable,
  assets: Assets,
  customerId: string,
): Promise<UserInfo['balances']> {
  const { rows } = await db.query<{ asset_id: number; available: string; held: string; earning: string }>({
    name: 'customer-balances',
    text: 'select asset_id, available, held, earning from ledger.balances where owner_id = $1 order by asset_id',
    values: [customerId],
  });
  return rows.map((row) => {
    const { code, scale } = assets.byId(row.asset_id);
    const amount = (text: string) => formatDecimal(BigInt(text), scale);
    return {
      asset: code,
      available: amount(row.available),
      held: amount(row.held),
      earning: amount(row.earning),
    };
  });
}
