import type { Language, UserInfo } from '@fairtick/protocol';
import { readBalances } from '../../platform/balances.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { readFreezes, readHolds } from '../protection/freezes.ts';
import { readOwnLimits } from '../protection/own-limits.ts';
import type { AccountParts } from './account-parts.ts';
import { readStanding } from './credit-score.ts';
import { REASONS, type Reason } from './verification-reasons.ts';

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
    has_withdrawal_password: boolean;
    locked_ms: string | null;
    language: Language;
    watchlist: string[] | null;
  }>({
    name: 'customer-info',
    text: `select account, nickname, level, real_status, language, watchlist,
        exists (select from withdrawal_passwords w where w.customer_id = c.id) as has_withdrawal_password,
        (select floor(extract(epoch from w.locked_until) * 1000)::bigint from withdrawal_passwords w
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
    hasPayWord: row.has_withdrawal_password,
    payWordLockedUntil: row.locked_ms === null ? null : Number(row.locked_ms),
    addresses: await destinations.addresses(db, customerId),
    banks: await destinations.cards(db, customerId),
    balances: await readBalances(db, assets, customerId),
    ...(await readOwnLimits(db, assets, customerId)),
    freezes: await readFreezes(db, customerId, language),
    holds: await readHolds(db, customerId),
    language: row.language,
    watchlist: row.watchlist,
  };
}
