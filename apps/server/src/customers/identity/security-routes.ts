import { call, callRow } from '../../platform/db/call.ts';
import { type Handlers, RefusalError, refusalOf } from '../../platform/http/context.ts';
import type { Session } from '../../platform/http/session.ts';
import { openClaim } from './account-claims.ts';
import type { AccountParts } from './account-parts.ts';
import { readDevices, readLogins } from './devices.ts';
import { renewRecoveryCodes } from './recovery.ts';

/** Handlers for customers' credentials, their sessions, and closing the account. */
export function securityHandlers(parts: AccountParts) {
  const { pool, sessions } = parts;
  return {
    ...factorHandlers(parts),
    newRecoveryCodes: async (_input, { session }) => ({
      recoveryCodes: await renewRecoveryCodes(parts, session),
    }),
    objectToClaim: async (_input, { session }) => {
      if (!(await call(pool, 'claim_object', { tokenHash: session.tokenHash })))
        throw new RefusalError('CLAIM_NOT_FOUND');
      return null;
    },
    sessions: (_input, { session }) => readDevices(pool, session),
    endSession: async ({ id }, { session }) => {
      await sessions.endById(session.customerId, id);
      return null;
    },
    endOtherSessions: async (_input, { session }) => {
      await sessions.endAll(pool, session.customerId, session);
      return null;
    },
    logins: (input, { session }) => readLogins(pool, session.customerId, input),
    closeAccount: async ({ account }, { session }) => {
      if (account.toLowerCase() !== (await accountOf(parts, session)).toLowerCase())
        throw refusalOf('ACCOUNT_DIFFERS', 'account');
      const { tokenHash } = session;
      const { refused, assets } = await callRow<Closing>(pool, 'customer_close', { tokenHash });
      if (refused) throw refusalOf(refused, null, { assets: assets ?? '' });
      return null;
    },
  } satisfies Partial<Handlers>;
}

interface Closing {
  readonly refused:
    | 'REAUTH_REQUIRED'
    | 'ACCOUNT_CLOSED'
    | 'ACCOUNT_UNDER_REVIEW'
    | 'ACCOUNT_NOT_EMPTY'
    | null;
  /** The assets that the account still has. */
  readonly assets: string | null;
}

/** Adding or removing a second factor needs a proof within the last five minutes, with a factor where one is on. */
function factorHandlers(parts: AccountParts) {
  const { pool, factors, sessions } = parts;
  return {
    factors: async (_input, { session }) => {
      const { rows } = await pool.query<{ codes: number }>(
        'select count(*)::int as codes from recovery_codes where customer_id = $1 and used_at is null',
        [session.customerId],
      );
      return {
        factors: await factors.list(session.customerId),
        recoveryCodes: rows[0]?.codes ?? 0,
        claim: await openClaim(pool, session.customerId),
      };
    },
    beginTotp: async (_input, { session }) =>
      factors.beginTotp(session.customerId, await accountOf(parts, session)),
    confirmTotp: async (given, { session, guess }) => {
      const account = await accountOf(parts, session);
      await factors.confirmTotp(session.customerId, given, (isRight) =>
        guess('factor', { account }, isRight),
      );
      await sessions.endAll(pool, session.customerId, session);
      return null;
    },
    beginPasskey: async (_input, { session }) => ({
      options: await factors.beginPasskey(session.customerId, await accountOf(parts, session)),
    }),
    confirmPasskey: async ({ label, passkey }, { session }) => {
      await factors.confirmPasskey(session.customerId, label, passkey);
      await sessions.endAll(pool, session.customerId, session);
      return null;
    },
    removeFactor: async ({ id }, { session }) => {
      await factors.remove(pool, session.customerId, { id, keepOne: false });
      return null;
    },
    reauthOptions: (_input, { session }) => factors.question(session.customerId),
  } satisfies Partial<Handlers>;
}

async function accountOf({ pool }: AccountParts, { customerId }: Session): Promise<string> {
  const { rows } = await pool.query<{ account: string }>('select account from customers where id = $1', [
    customerId,
  ]);
  if (!rows[0]) throw new Error(`no customer ${customerId}`);
  return rows[0].account;
}
