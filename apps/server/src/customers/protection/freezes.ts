import type { Language, UserInfo } from '@fairtick/protocol';
import { type Localised, localised } from '@fairtick/protocol/languages';
import { failureOf, type Queryable } from '../../platform/db/database.ts';
import { refusalOf } from '../../platform/http/context.ts';
import { amountOf, ms } from '../../platform/office-queries.ts';
import { utcText } from '../../platform/utc-text.ts';

/** Why staff have frozen something, as the customer reads it (`schema/customers/freezes.sql`). */
export const FREEZE_REASONS: Readonly<Record<string, Localised>> = {
  security: localised(
    '为防止他人使用您的账户',
    '為防止他人使用您的帳戶',
    'to protect your account from misuse',
  ),
  review: localised('正在核查您的账户', '正在核查您的帳戶', 'your account is being reviewed'),
  request: localised('应您的要求', '應您的要求', 'at your request'),
  authority: localised('按主管机关的要求', '按主管機關的要求', 'an authority has ordered it'),
};

/** The parts of the account that are closed now, without logins: the customer reads of them at the login. */
export async function readFreezes(
  db: Queryable,
  customerId: string,
  language: Language,
): Promise<UserInfo['freezes']> {
  const { rows } = await db.query<UserInfo['freezes'][number]>({
    name: 'customer-freezes',
    text: `select what, ${ms('until')} as until, reason from (
        select distinct on (what) what, until, reason from account_freezes
        where customer_id = $1 and what <> 'login' order by what, id desc) f where until > now() order by what`,
    values: [customerId],
  });
  return rows.map((row) => ({ ...row, reason: FREEZE_REASONS[row.reason]?.[language] ?? '' }));
}

/** Sums that an authority has ordered to hold. */
export async function readHolds(db: Queryable, customerId: string): Promise<UserInfo['holds']> {
  const { rows } = await db.query<UserInfo['holds'][number]>({
    name: 'customer-holds',
    text: `select a.code as asset, ${amountOf('h.amount')} as amount, h.authority, h.reference
      from legal_holds h join ledger.assets a on a.id = h.asset_id where h.customer_id = $1 and h.lift_id is null order by h.id`,
    values: [customerId],
  });
  return rows;
}

/** The refusal of a login that the database refused because of a freeze, else the error itself. */
export function frozenLogin(error: unknown, language: Language): unknown {
  if (failureOf(error) !== 'LOGIN_FROZEN') return error;
  const [until, reason = ''] = ((error as { detail?: string }).detail ?? '').split(' ');
  const words = { until: utcText(until, language), reason: FREEZE_REASONS[reason]?.[language] ?? '' };
  return refusalOf('LOGIN_FROZEN', null, words);
}
