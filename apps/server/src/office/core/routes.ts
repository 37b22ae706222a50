import { randomBytes } from 'node:crypto';
import type { staffOperations } from '@fairtick/protocol/office';
import { officeDocument } from '@fairtick/protocol/office/openapi';
import { hashToken } from '../../customers/identity/passwords.ts';
import { call, perform } from '../../platform/db/call.ts';
import { failureOf, type Pool, transaction } from '../../platform/db/database.ts';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';
import { OfficeFile, type OfficeHandlers, type StaffSession } from '../../platform/office-area.ts';
import { login, noteOwn, type OfficeParts, passkeyOptions, readMe, setPassword, stepUp } from './accounts.ts';
import { listAudit, readChain } from './audit-log.ts';
import { listRules, listStaff, staffChanges } from './staff-queries.ts';

type Paths = keyof typeof staffOperations;
type Area<Prefix extends string> = OfficeHandlers<Extract<Paths, `${Prefix}/${string}`>>;

/** The office's own operations: sessions, second factors, staff, audit log. */
export function staffHandlers(parts: OfficeParts): OfficeHandlers<Paths> {
  return {
    ...sessionHandlers(parts),
    ...factorHandlers(parts),
    ...changeHandlers(parts),
    'staff/list': () => listStaff(parts.pool),
    'service/openapi': async () =>
      new OfficeFile('application/json', Buffer.from(JSON.stringify(officeDocument()))),
    'staff/rules': () => listRules(parts.pool),
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
    'session/stepUpOptions': (_input, { session }) => parts.factors.question(session.staffId),
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
      await sessions.end(pool, session, id);
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
    'factor/confirmTotp': async (given, { session, guess }) => {
      await demandStrong(session);
      await factors.confirmTotp(session.staffId, given, (isRight) => guess('factor', session, isRight));
      await added(session, 'totp');
      return null;
    },
    'factor/beginPasskey': async (_input, { session }) => {
      await demandStrong(session);
      return { options: await factors.beginPasskey(session.staffId, session.account) };
    },
    'factor/confirmPasskey': async ({ label, passkey }, { session }) => {
      await demandStrong(session);
      await factors.confirmPasskey(session.staffId, label, passkey);
      await added(session, 'passkey');
      return null;
    },
    'factor/remove': async ({ id }, { session }) => {
      await transaction(pool, async (client) => {
        await factors.remove(client, session.staffId, { id, keepOne: parts.mode === 'live' });
        await noteOwn(client, session, 'factor.remove');
      });
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
  const known = await pool.query('select from customers where id = $1', [id]);
  if (known.rowCount === 0) throw refusalOf('CUSTOMER_NOT_FOUND', 'customerId');
}

/** The database's functions check who may do what. */
function changeHandlers({ pool, passwords }: OfficeParts): OfficeHandlers<ChangePath> {
  const changes = staffChanges(pool);
  return {
    'staff/changes': (page) => changes.list(page),
    'staff/create': async ({ account, name, person }, { session }) => {
      const oneTimePassword = newOneTimePassword();
      const passwordHash = await passwords.hash(oneTimePassword);
      try {
        const values = { by: session.staffId, account, displayName: name, person, passwordHash };
        return { id: await call(pool, 'staff_create', values), oneTimePassword };
      } catch (error) {
        throw failureOf(error) === '23505' ? refusalOf('ACCOUNT_TAKEN', 'account') : error;
      }
    },
    'staff/propose': async ({ kind, staffId, role = null, customerId = null }, { session }) => {
      if ((kind === 'grant' || kind === 'revoke') !== (role !== null))
        throw refusalOf('FORM_INCOMPLETE', 'role');
      if ((kind === 'link' || kind === 'unlink') !== (customerId !== null))
        throw refusalOf('FORM_INCOMPLETE', 'customerId');
      if (customerId !== null) await demandCustomer(pool, customerId);
      const known = await pool.query('select from staff where id = $1', [staffId]);
      if (known.rowCount === 0) throw new RefusalError('STAFF_NOT_FOUND');
      const values = { by: session.staffId, kind, staff: staffId, role, customer: customerId };
      return { id: await call(pool, 'staff_propose', values) };
    },
    'staff/carryOut': async ({ id }, { session }) => {
      const change = await changes.read(id);
      if (!change) throw new RefusalError('CHANGE_NOT_FOUND');
      const oneTimePassword = change.kind === 'reset' ? newOneTimePassword() : null;
      const secret = oneTimePassword === null ? null : await passwords.hash(oneTimePassword);
      await changes.approve(session.staffId, id, { secret });
      return { oneTimePassword };
    },
    'staff/refuse': ({ id }, { session }) => changes.refuse(session.staffId, id),
    'staff/declareCustomer': async ({ customerId }, { session }) => {
      await demandCustomer(pool, customerId);
      return perform(pool, 'staff_declare_customer', { by: session.staffId, customer: customerId });
    },
    'staff/disable': ({ id, reason }, { session }) =>
      perform(pool, 'staff_disable', { by: session.staffId, staff: id, reason }),
  };
}
