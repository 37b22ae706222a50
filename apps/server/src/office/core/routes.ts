import { randomBytes } from 'node:crypto';
import type { staffOperations } from '@fairtick/protocol/office';
import { officeDocument } from '@fairtick/protocol/office/openapi';
import { hashToken } from '../../customers/identity/passwords.ts';
import type { Assets } from '../../platform/assets.ts';
import { failureOf, type Pool, transaction } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { OfficeFile, type OfficeHandlers, type StaffSession } from '../../platform/office-area.ts';
import { login, noteOwn, type OfficeParts, passkeyOptions, readMe, setPassword, stepUp } from './accounts.ts';
import { listAudit, readChain } from './audit-log.ts';
import { listRules, listStaff, staffChanges } from './staff-queries.ts';

type Paths = keyof typeof staffOperations;
type Area<Prefix extends string> = OfficeHandlers<Extract<Paths, `${Prefix}/${string}`>>;

/** The office's own operations: sessions, second factors, staff, audit log. */
export function staffHandlers(parts: OfficeParts, assets: Assets): OfficeHandlers<Paths> {
  return {
    ...sessionHandlers(parts),
    ...factorHandlers(parts),
    ...changeHandlers(parts),
    'staff/list': () => listStaff(parts.pool),
    'service/openapi': async () =>
      new OfficeFile('application/json', Buffer.from(JSON.stringify(officeDocument()))),
    'staff/rules': () => listRules(parts.pool, assets),
    'audit/list': (filter) => listAudit(parts.pool, filter),
    'audit/chain': ({ from }) => readChain(parts.pool, from),
  };
}

function sessionHandlers(parts: OfficeParts): Area<'session'> {
  const { pool, sessions } = parts;
  return {
    'session/login': async (form, context) => {
      const { token, staffId } = await login(parts, form, context);
      context.setToken(token);
      context.rememberDevice(staffId);
      return readMe(parts, { staffId, tokenHash: hashToken(token) });
    },
    'session/passkeyOptions': async (form, context) => ({
      options: await passkeyOptions(parts, form, context),
    }),
    'session/me': (_input, { session }) => readMe(parts, session),
    'session/logout': async (_input, { session, setToken }) => {
      await transaction(pool, async (client) => {
        await noteOwn(client, session, 'session.logout');
        await sessions.end(client, session);
      });
      setToken(null);
      return null;
    },
    'session/stepUp': async (given, context) => ({ freshUntil: await stepUp(parts, context, given) }),
    'session/stepUpOptions': async (_input, { session }) => {
      const options = await parts.factors.assertionOptions(session.staffId);
      if (options === null) throw new RefusalError('FACTOR_NOT_FOUND');
      return { options };
    },
    'session/setPassword': async (form, context) => {
      await setPassword(parts, context, form);
      return null;
    },
    'session/setLanguage': async ({ language }, { session }) => {
      await pool.query('update staff set language = $2 where id = $1', [session.staffId, language]);
      return null;
    },
    'session/list': (_input, { session }) => sessions.list(session),
    'session/end': async ({ id }, { session }) => {
      if (/^\d{1,18}$/.test(id)) await sessions.end(pool, session, id);
      return null;
    },
  };
}

function factorHandlers(parts: OfficeParts): Area<'factor'> {
  const { pool, factors, sessions } = parts;
  /** A session that was begun before the first factor proves only the password, so it may not add another factor. */
  const demandStrong = async (session: StaffSession) => {
    if (!session.isStrong && (await factors.kinds(session.staffId)).length > 0)
      throw new RefusalError('OTP_REQUIRED');
  };
  /**
   * The session becomes strong but not proved. All other sessions end, because they may be a stranger's and have not
   * shown the factor.
   */
  const added = (session: StaffSession, kind: 'totp' | 'passkey') =>
    transaction(pool, async (client) => {
      await sessions.strengthen(client, session);
      await sessions.endOthers(client, session);
      await noteOwn(client, session, 'factor.add', { kind });
    });
  return {
    'factor/list': (_input, { session }) => factors.list(session.staffId),
    'factor/beginTotp': async (_input, { session }) => {
      await demandStrong(session);
      return factors.beginTotp(session.staffId, session.account);
    },
    'factor/confirmTotp': async ({ id, otp }, { session, guess }) => {
      await demandStrong(session);
      let isKnown = true;
      // Counted apart: a caller who knows the new secret is always right, and that must not reset the count of password
      // guesses.
      const isRight = await guess('factor', session, async () => {
        const verdict = /^\d{1,18}$/.test(id) ? await factors.confirmTotp(session.staffId, id, otp) : null;
        isKnown = verdict !== null;
        return verdict === true;
      });
      if (!isKnown) throw new RefusalError('FACTOR_NOT_FOUND');
      if (!isRight) throw new RefusalError('OTP_WRONG', { fields: { otp: 'OTP_WRONG' } });
      await added(session, 'totp');
      return null;
    },
    'factor/beginPasskey': async (_input, { session }) => {
      await demandStrong(session);
      return { options: await factors.beginPasskey(session.staffId, session.account) };
    },
    'factor/confirmPasskey': async ({ label, passkey }, { session }) => {
      await demandStrong(session);
      if (!(await factors.confirmPasskey(session.staffId, label, passkey)))
        throw new RefusalError('OTP_WRONG', { fields: { passkey: 'OTP_WRONG' } });
      await added(session, 'passkey');
      return null;
    },
    'factor/remove': async ({ id }, { session }) => {
      const keepOne = parts.mode === 'live';
      const outcome = await transaction(pool, async (client) => {
        const removed = await factors.remove(client, session.staffId, { id, keepOne });
        if (removed === 'removed') await noteOwn(client, session, 'factor.remove');
        return removed;
      });
      if (outcome === 'unknown') throw new RefusalError('FACTOR_NOT_FOUND');
      if (outcome === 'last') throw new RefusalError('LAST_FACTOR');
      return null;
    },
  };
}

/** 120 random bits; used once. */
const newOneTimePassword = () => randomBytes(15).toString('base64url');

type ChangePath =
  | 'staff/changes'
  | 'staff/create'
  | 'staff/propose'
  | 'staff/carryOut'
  | 'staff/refuse'
  | 'staff/disable'
  | 'staff/declareCustomer';

async function demandCustomer(pool: Pool, id: string): Promise<void> {
  const known = await pool.query('select 1 from customers where id::text = $1', [id]);
  if (known.rowCount === 0) {
    throw new RefusalError('CUSTOMER_NOT_FOUND', { fields: { customerId: 'CUSTOMER_NOT_FOUND' } });
  }
}

/** @throws RefusalError when `id` can't be the number of a change */
function demandChangeId(id: string): string {
  if (!/^\d{1,18}$/.test(id)) throw new RefusalError('CHANGE_NOT_FOUND');
  return id;
}

const CREATE = new NamedCall('staff_create', {
  by: 'bigint',
  account: 'text',
  displayName: 'text',
  person: 'text',
  passwordHash: 'text',
});

const PROPOSE = new NamedCall('staff_propose', {
  by: 'bigint',
  kind: 'text',
  staff: 'bigint',
  role: 'text',
  customer: 'bigint',
});

/** The database's functions check who may do what. */
function changeHandlers({ pool, passwords }: OfficeParts): OfficeHandlers<ChangePath> {
  const changes = staffChanges(pool);
  return {
    'staff/changes': (page) => changes.list(page),
    'staff/create': async ({ account, name, person }, { session }) => {
      const oneTimePassword = newOneTimePassword();
      const passwordHash = await passwords.hash(oneTimePassword);
      try {
        const { rows } = await pool.query<{ result: string }>(
          CREATE.with({ by: session.staffId, account, displayName: name, person, passwordHash }),
        );
        return { id: (rows[0] as { result: string }).result, oneTimePassword };
      } catch (error) {
        if (failureOf(error) !== '23505') throw error;
        throw new RefusalError('ACCOUNT_TAKEN', { fields: { account: 'ACCOUNT_TAKEN' } });
      }
    },
    'staff/propose': async ({ kind, staffId, role = null, customerId = null }, { session }) => {
      if ((kind === 'grant' || kind === 'revoke') !== (role !== null)) {
        throw new RefusalError('FORM_INCOMPLETE', { fields: { role: 'FORM_INCOMPLETE' } });
      }
      if ((kind === 'link' || kind === 'unlink') !== (customerId !== null)) {
        throw new RefusalError('FORM_INCOMPLETE', { fields: { customerId: 'FORM_INCOMPLETE' } });
      }
      if (customerId !== null) await demandCustomer(pool, customerId);
      const known = await pool.query('select 1 from staff where id::text = $1', [staffId]);
      if (known.rowCount === 0) throw new RefusalError('STAFF_NOT_FOUND');
      const { rows } = await pool.query<{ result: string }>(
        PROPOSE.with({ by: session.staffId, kind, staff: staffId, role, customer: customerId }),
      );
      return { id: (rows[0] as { result: string }).result };
    },
    'staff/carryOut': async ({ id }, { session }) => {
      const change = await changes.read(demandChangeId(id));
      if (!change) throw new RefusalError('CHANGE_NOT_FOUND');
      const oneTimePassword = change.kind === 'reset' ? newOneTimePassword() : null;
      const secret = oneTimePassword === null ? null : await passwords.hash(oneTimePassword);
      await changes.approve(session.staffId, id, { secret });
      return { oneTimePassword };
    },
    'staff/refuse': async ({ id }, { session }) => {
      await changes.refuse(session.staffId, demandChangeId(id));
      return null;
    },
    'staff/declareCustomer': async ({ customerId }, { session }) => {
      await demandCustomer(pool, customerId);
      await pool.query('select staff_declare_customer($1, $2)', [session.staffId, customerId]);
      return null;
    },
    'staff/disable': async ({ id, reason }, { session }) => {
      if (!/^\d{1,18}$/.test(id)) throw new RefusalError('NOTHING_NEW');
      await pool.query('select staff_disable($1, $2, $3)', [session.staffId, id, reason]);
      return null;
    },
  };
}
