import type { Language, UserInfo } from '@fairtick/protocol';
import { PRACTICE_ASSET } from '@fairtick/trading';
import type { Assets } from '../../platform/assets.ts';
import { failureOf, type Queryable, transaction } from '../../platform/db/database.ts';
import { refusalOf } from '../../platform/http/context.ts';
import type { Caller } from '../../platform/http/session.ts';
import { hashInput } from '../../platform/request-hashes.ts';
import type { AccountParts } from './account-parts.ts';
import { anyone } from './askers.ts';
import { passwordFault } from './password-strength.ts';
import { writeRecoveryCodes } from './recovery-codes.ts';
import { readUserInfo } from './user-info.ts';

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
): Promise<{ token: string; userInfo: UserInfo; recoveryCodes: string[] }> {
  if (parts.mode === 'live') demandForLive(form, parts.restrictedRegions);
  const fault = passwordFault(form.password, [form.account]);
  if (fault) throw refusalOf(fault, 'password');
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
    if (failureOf(error) === '23505') throw refusalOf('ACCOUNT_TAKEN', 'account');
    throw error;
  }
}

/** The database enforces both for every row (`schema/customers/accounts.sql`). */
function demandForLive({ country, acceptsRisk }: Registration, restricted: readonly string[]): void {
  if (country === null) throw refusalOf('COUNTRY_REQUIRED', 'country');
  if (restricted.includes(country)) throw refusalOf('REGION_RESTRICTED', 'country');
  if (!acceptsRisk) throw refusalOf('RISK_NOT_ACCEPTED', 'acceptRisk');
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
