import type { OfficeData } from '@fairtick/protocol/office';
import { loginAsker } from '../../customers/identity/askers.ts';
import { lookUpKey } from '../../customers/identity/credentials.ts';
import { passwordFault } from '../../customers/identity/password-strength.ts';
import type { Passwords } from '../../customers/identity/passwords.ts';
import type { FactorVerdict, GivenFactor, SecondFactors } from '../../customers/identity/second-factors.ts';
import { type Pool, type Queryable, transaction } from '../../platform/db/database.ts';
import type { Asker } from '../../platform/fairness/line.ts';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';
import type { Caller } from '../../platform/http/session.ts';
import { networkOf } from '../../platform/network.ts';
import type { OfficeContext, StaffSession } from '../../platform/office-area.ts';
import { ms } from '../../platform/office-queries.ts';
import type { StaffSessions } from './staff-sessions.ts';

export interface OfficeParts {
  readonly pool: Pool;
  /** Connections for requests without a session, so that a flood of them delays no staff. */
  readonly publicPool: Pool;
  readonly passwords: Passwords;
  readonly sessions: StaffSessions;
  readonly factors: SecondFactors;
  readonly mode: 'demo' | 'live';
}

interface Credentials {
  readonly id: string;
  readonly passwordHash: string;
}

const staff = ({ address }: Caller): Asker => ({ kind: 'staff', who: networkOf(address) });
const member = ({ staffId }: StaffSession): Asker => ({ kind: 'inside', who: `staff ${staffId}` });

type Failure = 'LOGIN_FAILED' | 'OTP_REQUIRED' | 'OTP_WRONG';

/** Result of a guess, set inside its callback. */
interface Outcome {
  failure: Failure;
  isStrong: boolean;
}

const FAILURES: Readonly<Record<Exclude<FactorVerdict, 'unset' | 'right'>, Failure>> = {
  absent: 'OTP_REQUIRED',
  wrong: 'OTP_WRONG',
};

/**
 * Begins a session. A right password without its second factor counts as a failed guess until the factor is right too;
 * otherwise a caller with the password could try codes without limit.
 */
export async function login(
  parts: OfficeParts,
  form: { account: string; password: string } & GivenFactor,
  { caller, guess }: OfficeContext,
): Promise<{ token: string; staffId: string }> {
  const { member, place } = await meet(parts.publicPool, form.account, caller);
  const outcome: Outcome = { failure: 'LOGIN_FAILED', isStrong: false };
  const isRight = await guess('login', { account: form.account, place }, async () => {
    if (
      !(await parts.passwords.matches(form.password, member?.passwordHash ?? null, staff(caller))) ||
      !member
    )
      return false;
    const verdict = await parts.factors.check(member.id, form);
    outcome.isStrong = verdict === 'right';
    if (verdict === 'right' || verdict === 'unset') return true;
    outcome.failure = FAILURES[verdict];
    return false;
  });
  const { failure, isStrong } = outcome;
  if (!member || !isRight) {
    // A missing second factor is not yet a failed login.
    if (member && failure !== 'OTP_REQUIRED') await noteFailedLogin(parts.publicPool, member.id, caller);
    throw refusalOf(failure, failure === 'LOGIN_FAILED' ? null : 'otp');
  }
  return transaction(parts.publicPool, async (client) => {
    if (!(await holdsPassword(client, member))) throw new RefusalError('LOGIN_FAILED');
    const token = await parts.sessions.begin(client, member.id, isStrong, caller);
    return { token, staffId: member.id };
  });
}

/** The options that a passkey signs at a login. Counts as a guess, as {@link login} does. */
export async function passkeyOptions(
  parts: OfficeParts,
  form: { account: string; password: string },
  { caller, guess }: OfficeContext,
): Promise<string> {
  const { member, place } = await meet(parts.publicPool, form.account, caller);
  const found: { isPassword: boolean; options: string | null } = { isPassword: false, options: null };
  await guess('login', { account: form.account, place }, async () => {
    found.isPassword = await parts.passwords.matches(
      form.password,
      member?.passwordHash ?? null,
      staff(caller),
    );
    if (found.isPassword && member) found.options = await parts.factors.assertionOptions(member.id);
    return false;
  });
  if (!member || !found.isPassword) throw new RefusalError('LOGIN_FAILED');
  if (found.options === null) throw new RefusalError('FACTOR_NOT_FOUND');
  return found.options;
}

/**
 * Checks a passkey alone, or the password with the second factor where one is on. Returns the time until which the
 * session is proved.
 */
export async function stepUp(
  parts: OfficeParts,
  { session, guess }: OfficeContext,
  given: { password?: string | undefined } & GivenFactor,
): Promise<number> {
  const { passwordHash } = await findById(parts.pool, session.staffId);
  const outcome: Outcome = { failure: 'LOGIN_FAILED', isStrong: false };
  // As in check(): an empty passkey counts as absent, and the password is checked.
  const isPasskey = Boolean(given.passkey);
  const isRight = await guess('session', session, async () => {
    if (!isPasskey && !(await parts.passwords.matches(given.password ?? '', passwordHash, member(session))))
      return false;
    const verdict = await parts.factors.check(session.staffId, given);
    outcome.isStrong = verdict === 'right';
    // A passkey proves nothing when none is set up.
    if (verdict === 'right' || (verdict === 'unset' && !isPasskey)) return true;
    outcome.failure = verdict === 'absent' ? 'OTP_REQUIRED' : 'OTP_WRONG';
    return false;
  });
  const { failure, isStrong } = outcome;
  if (!isRight) throw refusalOf(failure, failure === 'LOGIN_FAILED' ? 'password' : 'otp');
  return parts.sessions.prove(parts.pool, session, isStrong);
}

export async function setPassword(
  parts: OfficeParts,
  { session, guess }: OfficeContext,
  form: { oldPassword: string; password: string; confirmPassword: string },
): Promise<void> {
  if (form.password !== form.confirmPassword) throw refusalOf('PASSWORDS_DIFFER', 'confirmPassword');
  const { passwordHash, names } = await findById(parts.pool, session.staffId);
  const isRight = await guess('session', session, () =>
    parts.passwords.matches(form.oldPassword, passwordHash, member(session)),
  );
  if (!isRight) throw refusalOf('OLD_PASSWORD_WRONG', 'oldPassword');
  const fault =
    form.password === form.oldPassword ? 'PASSWORD_UNCHANGED' : passwordFault(form.password, names);
  if (fault) throw refusalOf(fault, 'password');
  const newHash = await parts.passwords.hash(form.password, member(session));
  await transaction(parts.pool, async (client) => {
    const { rowCount } = await client.query(
      'update staff set password_hash = $2, must_change_password = false where id = $1 and password_hash = $3',
      [session.staffId, newHash, passwordHash],
    );
    if (rowCount === 0) throw refusalOf('OLD_PASSWORD_WRONG', 'oldPassword');
    await parts.sessions.endOthers(client, session);
    await noteOwn(client, session, 'session.password');
  });
}

/** The logged-in member of staff, and until when the session of `tokenHash` is proved, regardless of other sessions. */
export async function readMe(
  parts: OfficeParts,
  { staffId, tokenHash }: Pick<StaffSession, 'staffId' | 'tokenHash'>,
): Promise<OfficeData<'session/me'>> {
  const { rows } = await parts.pool.query<Omit<OfficeData<'session/me'>, 'mode' | 'factors' | 'needsFactor'>>(
    `select f.id::text, f.account, f.display_name as name, f.language, f.must_change_password as "mustChangePassword",
       coalesce((select jsonb_agg(jsonb_build_object('role', r.role, 'usableFrom', ${ms('r.usable_from')})
         order by r.granted_at, r.role) from staff_roles r where r.staff_id = f.id), '[]') as roles,
       (select coalesce(array_agg(c.customer_id::text order by c.customer_id), '{}') from staff_customers c
         where c.person = f.person) as customers,
       coalesce((select s.proved_until_ms from staff_session_look($2) s where s.staff_id = f.id), 0)::float8 as "freshUntil",
       ${ms('now()')} as "serverTime"
     from staff f where f.id = $1`,
    [staffId, tokenHash],
  );
  const row = rows[0];
  if (!row) throw new Error(`no staff ${staffId}`);
  const { mode } = parts;
  const factors = await parts.factors.kinds(staffId);
  return { ...row, mode, factors, needsFactor: mode === 'live' && factors.length === 0 };
}

type OwnAct = 'session.logout' | 'session.password' | 'factor.add' | 'factor.remove';

/** Appends a change of a member of staff to their own account to the audit log, in the transaction of `db`. */
export async function noteOwn(
  db: Queryable,
  { staffId }: StaffSession,
  action: OwnAct,
  facts: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await db.query('select audit_own($1, $2, $3)', [staffId, action, facts]);
}

/** The owner of a device's mark: customers' marks have their number alone. */
export const ownerOfDevice = (staffId: string): string => `staff-${staffId}`;

/**
 * Finds the account of a login, and the place that its wrong guesses count for, as with customers: those of strangers keep out
 * neither a device nor a network from which its owner has logged in.
 */
async function meet(
  db: Queryable,
  account: string,
  caller: Caller,
): Promise<{ member: Credentials | null; place: string }> {
  const network = networkOf(caller.address);
  const { rows } = await db.query<Credentials & { readonly isKnownPlace: boolean }>(
    `select id, password_hash as "passwordHash", exists (select from staff_login_events e where e.staff_id = staff.id and e.is_success
         and e.at > now() - interval '90 days' and e.address <<= $2::inet) as "isKnownPlace"
     from staff where lower(account) = $1 and is_active`,
    [lookUpKey(account), network === 'unknown' ? null : network],
  );
  const member = rows[0] ?? null;
  return { member, place: loginAsker(caller, member && { ...member, id: ownerOfDevice(member.id) }).place };
}

async function findById(
  db: Queryable,
  staffId: string,
): Promise<Credentials & { readonly names: readonly string[] }> {
  const { rows } = await db.query<{ password_hash: string; names: string[] }>(
    'select password_hash, array[account, display_name] as names from staff where id = $1',
    [staffId],
  );
  const row = rows[0];
  if (!row) throw new Error(`no staff ${staffId}`);
  return { id: staffId, passwordHash: row.password_hash, names: row.names };
}

/** Whether the checked password is still valid and the account on; locks both until the transaction ends. */
async function holdsPassword(client: Queryable, member: Credentials): Promise<boolean> {
  const { rows } = await client.query<{ password_hash: string }>(
    'select password_hash from staff where id = $1 and is_active for share',
    [member.id],
  );
  return rows[0]?.password_hash === member.passwordHash;
}

async function noteFailedLogin(db: Queryable, staffId: string, caller: Caller): Promise<void> {
  await db.query(
    'insert into staff_login_events (staff_id, is_success, user_agent, address) values ($1, false, $2, $3)',
    [staffId, caller.userAgent, caller.address],
  );
}
