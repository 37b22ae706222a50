import { type Handlers, RefusalError } from '../../platform/http/context.ts';
import type { Session } from '../../platform/http/session.ts';
import { openClaim } from './account-claims.ts';
import type { AccountParts } from './account-parts.ts';
import { readDevices, readLogins } from './devices.ts';
import { renewRecoveryCodes } from './recovery.ts';

type SecurityEndpoint =
  | 'factors'
  | 'beginTotp'
  | 'confirmTotp'
  | 'beginPasskey'
  | 'confirmPasskey'
  | 'removeFactor'
  | 'reauthOptions'
  | 'newRecoveryCodes'
  | 'objectToClaim'
  | 'sessions'
  | 'endSession'
  | 'endOtherSessions'
  | 'logins'
  | 'closeAccount';

/** Handlers for customers' credentials, their sessions, and closing the account. */
export function securityHandlers(parts: AccountParts): Pick<Handlers, SecurityEndpoint> {
  const { pool, sessions } = parts;
  return {
    ...factorHandlers(parts),
    newRecoveryCodes: async (_input, { session }) => ({
      recoveryCodes: await renewRecoveryCodes(parts, session),
    }),
    objectToClaim: async (_input, { session }) => {
      const { rows } = await pool.query<{ done: boolean }>('select claim_object($1) as done', [
        session.tokenHash,
      ]);
      if (!rows[0]?.done) throw new RefusalError('CLAIM_NOT_FOUND');
      return null;
    },
    sessions: (_input, { session }) => readDevices(pool, session),
    endSession: async ({ id }, { session }) => {
      if (isNumber(id)) await sessions.endById(session.customerId, id);
      return null;
    },
    endOtherSessions: async (_input, { session }) => {
      await sessions.endAll(pool, session.customerId, session);
      return null;
    },
    logins: (input, { session }) => readLogins(pool, session.customerId, input),
    closeAccount: async ({ account }, { session }) => {
      if (account.toLowerCase() !== (await accountOf(parts, session)).toLowerCase()) {
        throw new RefusalError('ACCOUNT_DIFFERS', { fields: { account: 'ACCOUNT_DIFFERS' } });
      }
      const { rows } = await pool.query<{ refused: ClosingRefusal | null; assets: string | null }>(
        'select * from customer_close($1)',
        [session.tokenHash],
      );
      const [outcome] = rows;
      if (outcome?.refused)
        throw new RefusalError(outcome.refused, { parameters: { assets: outcome.assets ?? '' } });
      return null;
    },
  };
}

type ClosingRefusal = 'REAUTH_REQUIRED' | 'ACCOUNT_CLOSED' | 'ACCOUNT_UNDER_REVIEW' | 'ACCOUNT_NOT_EMPTY';
type FactorEndpoint =
  | 'factors'
  | 'beginTotp'
  | 'confirmTotp'
  | 'beginPasskey'
  | 'confirmPasskey'
  | 'removeFactor'
  | 'reauthOptions';

/** Adding or removing a second factor needs a proof within the last five minutes, with a factor where one is on. */
function factorHandlers(parts: AccountParts): Pick<Handlers, FactorEndpoint> {
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
    confirmTotp: async ({ id, otp }, { session, guess }) => {
      let isKnown = true;
      // Counted apart: a caller who knows the new secret is always right, and that must not reset the count of password
      // guesses.
      const isRight = await guess('factor', { account: await accountOf(parts, session) }, async () => {
        const verdict = isNumber(id) ? await factors.confirmTotp(session.customerId, id, otp) : null;
        isKnown = verdict !== null;
        return verdict === true;
      });
      if (!isKnown) throw new RefusalError('FACTOR_NOT_FOUND');
      if (!isRight) throw new RefusalError('OTP_WRONG', { fields: { otp: 'OTP_WRONG' } });
      await sessions.endAll(pool, session.customerId, session);
      return null;
    },
    beginPasskey: async (_input, { session }) => ({
      options: await factors.beginPasskey(session.customerId, await accountOf(parts, session)),
    }),
    confirmPasskey: async ({ label, passkey }, { session }) => {
      if (!(await factors.confirmPasskey(session.customerId, label, passkey)))
        throw new RefusalError('OTP_WRONG', { fields: { passkey: 'OTP_WRONG' } });
      await sessions.endAll(pool, session.customerId, session);
      return null;
    },
    removeFactor: async ({ id }, { session }) => {
      const outcome = await factors.remove(pool, session.customerId, { id, keepOne: false });
      if (outcome !== 'removed') throw new RefusalError('FACTOR_NOT_FOUND');
      return null;
    },
    reauthOptions: async (_input, { session }) => {
      const options = await factors.assertionOptions(session.customerId);
      if (options === null) throw new RefusalError('FACTOR_NOT_FOUND');
      return { options };
    },
  };
}

const isNumber = (id: string): boolean => /^\d{1,18}$/.test(id);

async function accountOf({ pool }: AccountParts, { customerId }: Session): Promise<string> {
  const { rows } = await pool.query<{ account: string }>('select account from customers where id = $1', [
    customerId,
  ]);
  if (!rows[0]) throw new Error(`no customer ${customerId}`);
  return rows[0].account;
}
