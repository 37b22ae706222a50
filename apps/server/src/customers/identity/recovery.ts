import { transaction } from '../../platform/db/database.ts';
import { type Guess, refusalOf } from '../../platform/http/context.ts';
import type { Caller, Session } from '../../platform/http/session.ts';
import { type CallForHelp, callBinding, nextRecord, sealRecord } from '../../platform/sealing/records.ts';
import type { AccountParts, Guesser } from './account-parts.ts';
import { lookUpKey } from './credentials.ts';
import { meet } from './login.ts';
import { passwordFault } from './password-strength.ts';
import { storedHash } from './passwords.ts';
import { useCode, writeRecoveryCodes } from './recovery-codes.ts';
import type { FactorVerdict, GivenFactor } from './second-factors.ts';

/** Makes new codes; older ones become invalid. */
export async function renewRecoveryCodes(
  { pool }: Pick<AccountParts, 'pool'>,
  session: Session,
): Promise<string[]> {
  return transaction(pool, async (client) => {
    // Two concurrent calls run one after the other, and the codes of the second are valid.
    await client.query('select from customers where id = $1 for no key update', [session.customerId]);
    return writeRecoveryCodes(client, session.customerId);
  });
}

/** Sets a new password with a recovery code, which is then used up. Ends every session of the account. */
export async function recover(
  parts: AccountParts,
  form: { account: string; recoveryCode: string; password: string } & GivenFactor,
  { caller, guess }: Guesser,
): Promise<{ customerId: string }> {
  const fault = passwordFault(form.password, [form.account]);
  if (fault) throw refusalOf(fault, 'password');
  const { customer, asker, place } = await meet(parts, form.account, caller);
  const outcome: { failure: RecoverFailure } = { failure: 'RECOVERY_FAILED' };
  // The password is hashed whether or not the account and the code exist. A code has too many bits to be guessed, so
  // wrong ones count per network or known device, and a stranger's guesses do not block the owner.
  const attempt = async () => {
    const passwordHash = await parts.passwords.hash(form.password, asker);
    const failure = await redeemCode(parts, { ...form, passwordHash }, guess);
    if (failure !== null) outcome.failure = failure;
    return failure === null;
  };
  const isDone = await guess('recovery', { account: form.account, place: place || asker.who }, attempt);
  if (isDone && customer) return { customerId: customer.id };
  throw refusalOf(outcome.failure, outcome.failure === 'RECOVERY_FAILED' ? 'recoveryCode' : 'otp');
}

type RecoverFailure = 'RECOVERY_FAILED' | 'OTP_REQUIRED' | 'OTP_WRONG';

async function redeemCode(
  parts: AccountParts,
  form: { account: string; recoveryCode: string; passwordHash: string } & GivenFactor,
  guess: Guess,
): Promise<RecoverFailure | null> {
  const codeHash = storedHash(form.recoveryCode);
  const { rows } = await parts.publicPool.query<{
    id: string;
    has_second_factor: boolean;
    takes_factor: boolean;
  }>(
    `select c.id, c.has_second_factor, r.takes_factor from customers c join recovery_codes r on r.customer_id = c.id
     where lower(c.account) = $1 and r.code_hash = $2 and r.used_at is null
       and (r.expires_at is null or r.expires_at > now())`,
    [lookUpKey(form.account), codeHash],
  );
  const [owner] = rows;
  if (!owner) return 'RECOVERY_FAILED';
  // Two members of staff may have agreed that the factor is lost, too; using such a code removes it.
  if (owner.has_second_factor && !owner.takes_factor) {
    // The factor must come from the device: a second recovery code is on the same sheet of paper, so it is no second
    // proof.
    const given: { verdict: FactorVerdict } = { verdict: 'absent' };
    // A caller with a code could guess at the factor, so these guesses count over all networks.
    const check = async () => {
      given.verdict = await parts.publicFactors.check(owner.id, form);
      return given.verdict === 'right';
    };
    if (!(await guess('recovery factor', { account: form.account }, check)))
      return given.verdict === 'wrong' ? 'OTP_WRONG' : 'OTP_REQUIRED';
  }
  return transaction(parts.publicPool, async (client) => {
    const still = await client.query(
      'select from customers where id = $1 and has_second_factor = $2 for no key update',
      [owner.id, owner.has_second_factor],
    );
    if (still.rowCount === 0 || !(await useCode(client, owner.id, form.recoveryCode)))
      return 'RECOVERY_FAILED';
    await client.query('update customers set password_hash = $2 where id = $1', [
      owner.id,
      form.passwordHash,
    ]);
    await parts.sessions.endAll(client, owner.id, null);
    return null;
  });
}

export async function requestRecovery(
  parts: AccountParts,
  form: { account: string; contact: string; text: string },
  caller: Caller,
): Promise<null> {
  const { asker, place } = await meet(parts, form.account, caller);
  const { id, sealed } = await sealCall(parts, form);
  const { rowCount } = await parts.publicPool.query(
    `insert into recovery_requests (id, account, sealed, address, place) values ($1, $2, $3, $4, $5)
     on conflict (lower(account), place) where decided_at is null do nothing`,
    [id, form.account, sealed, caller.address, place || asker.who],
  );
  if (rowCount === 0) throw refusalOf('CALL_OPEN');
  return null;
}

/** Seals what a caller says under the number of the call that is about to be stored. */
export async function sealCall(
  { publicPool, keys }: Pick<AccountParts, 'publicPool' | 'keys'>,
  { contact, text }: CallForHelp,
): Promise<{ id: string; sealed: Buffer }> {
  const id = await nextRecord(publicPool);
  return { id, sealed: sealRecord(keys, callBinding(id), { contact, text }) };
}
