import { setTimeout as sleep } from 'node:timers/promises';
import type { Data } from '@fairtick/protocol';
import { call } from '../../platform/db/call.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { Asker } from '../../platform/fairness/line.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { ms } from '../../platform/office-queries.ts';
import type { AccountParts, Guesser } from './account-parts.ts';
import type { Credentials } from './credentials.ts';
import { meet } from './login.ts';
import { hashRecoveryCode, newRecoveryCode, storedHash } from './passwords.ts';
import { sealCall } from './recovery.ts';
import type { GivenFactor } from './second-factors.ts';

/**
 * Claims of an account whose password, second factors or recovery codes somebody else changed (decisions 122 and 153): for
 * 24 hours a former factor or code opens a claim, together with the present password or one replaced within that time. A
 * claim holds withdrawals and goes to two members of staff. It changes no credential: the server can't tell an owner who
 * threw out a thief from a thief who threw out the owner.
 */

/** The database keeps this many replaced passwords of a day. */
const FORMER_PASSWORDS = 3;
/** Refusals are answered at multiples of this time after the call, so that their time does not tell which check failed. */
const REFUSAL_STEP_MS = 250;

type ClaimStatus = Data<'claimStatus'>;

interface TakeBackForm extends GivenFactor {
  readonly account: string;
  readonly oldPassword: string;
  readonly contact: string;
  readonly text: string;
}

/** Opens a claim, and returns the code with which the claimant reads its state. Every session and the inbox are notified. */
export async function takeBack(
  parts: AccountParts,
  form: TakeBackForm,
  { caller, guess }: Guesser,
): Promise<{ claimCode: string }> {
  const began = performance.now();
  const { customer, asker, place } = await meet(parts, form.account, caller);
  // A stranger's wrong passwords count per network or known device and lock nobody out; guesses at the factor, which need the password,
  // count per account.
  const isRight = await guess('recovery', { account: form.account, place: place || asker.who }, () =>
    isOwner(parts, form.oldPassword, { customer, asker }),
  );
  if (!isRight || !customer) return refuseLater(began);
  const claimCode = newRecoveryCode();
  const claim = async () => {
    const hasFactor = (await parts.formerFactors.check(customer.id, form).catch(unlessRefused)) === 'right';
    const codeHash = hasFactor ? null : storedHash(form.otp ?? '');
    const statusHash = hashRecoveryCode(claimCode);
    const sealed = await sealCall(parts, form);
    const values = { customer: customer.id, codeHash, ...sealed, address: caller.address, statusHash };
    return call<boolean>(parts.publicPool, 'account_take_back', values);
  };
  const isDone = await guess('recovery factor', { account: form.account }, claim);
  // One refusal for every reason, so that it does not reveal which part was wrong.
  return isDone ? { claimCode } : refuseLater(began);
}

/** A code that was used or is right for another time is refused like a wrong one. */
function unlessRefused(error: unknown): 'wrong' {
  if (error instanceof RefusalError) return 'wrong';
  throw error;
}

/** The state of a claim for its claimant, who learns nothing else. */
export async function claimStatus({ publicPool }: AccountParts, claimCode: string): Promise<ClaimStatus> {
  const { rows } = await publicPool.query<ClaimStatus>(
    `select case when decided_at is null then case when objected_at is null then 'open' else 'disputed' end
       else recovery_state(r) end as state, ${ms('at')} as at
     from recovery_requests r where status_hash = $1`,
    [hashRecoveryCode(claimCode)],
  );
  if (!rows[0]) throw new RefusalError('CLAIM_NOT_FOUND');
  return rows[0];
}

/** The open claim of a customer's account, as the customer sees it; null without one. */
export async function openClaim(db: Queryable, customerId: string): Promise<Data<'factors'>['claim']> {
  const { rows } = await db.query<NonNullable<Data<'factors'>['claim']>>(
    `select ${ms('r.at')} as at, ${ms('r.objected_at')} as "objectedAt", ${ms('claim_holds_until(r)')} as "holdsUntil"
     from recovery_requests r join customers c on lower(c.account) = lower(r.account)
     where c.id = $1 and r.lost_at is not null and r.decided_at is null order by r.objected_at nulls first, r.id limit 1`,
    [customerId],
  );
  return rows[0] ?? null;
}

/** The options that a passkey signs for a claim. Counts as a guess, as at a login. */
export async function takeBackOptions(
  parts: AccountParts,
  form: { account: string; oldPassword: string },
  { caller, guess }: Guesser,
): Promise<{ options: string }> {
  const began = performance.now();
  const { customer, asker, place } = await meet(parts, form.account, caller);
  let options: string | null = null;
  await guess('recovery', { account: form.account, place: place || asker.who }, async () => {
    const isRight = await isOwner(parts, form.oldPassword, { customer, asker });
    if (customer && isRight) options = await parts.formerFactors.assertionOptions(customer.id);
    return false;
  });
  return options === null ? refuseLater(began) : { options };
}

/** @param began when the call came, in milliseconds of `performance.now` */
async function refuseLater(began: number): Promise<never> {
  await sleep(REFUSAL_STEP_MS - ((performance.now() - began) % REFUSAL_STEP_MS));
  throw new RefusalError('TAKE_BACK_FAILED');
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
