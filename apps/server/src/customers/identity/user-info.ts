import type { Language, UserInfo } from '@fairtick/protocol';
import { readBalances } from '../../platform/balances.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { ms } from '../../platform/office-queries.ts';
import { readFreezes, readHolds } from '../protection/freezes.ts';
import { readOwnLimits } from '../protection/own-limits.ts';
import type { AccountParts } from './account-parts.ts';
import { readStanding } from './credit-score.ts';
import { REASONS, type Reason } from './verification-reasons.ts';

type Row = Pick<
  UserInfo,
  | 'id'
  | 'account'
  | 'nickname'
  | 'level'
  | 'realStatus'
  | 'language'
  | 'watchlist'
  | 'hasPayWord'
  | 'payWordLockedUntil'
> & { readonly reason: Reason | null };

/** The customer as the app stores it: getUserInfo. */
export async function readUserInfo(
  { assets, destinations }: Pick<AccountParts, 'assets' | 'destinations'>,
  db: Queryable,
  customerId: string,
  language: Language,
): Promise<UserInfo> {
  const { rows } = await db.query<Row>({
    name: 'customer-info',
    text: `select id::text, account, nickname, level, real_status as "realStatus", language, watchlist,
        exists (select from withdrawal_passwords w where w.customer_id = c.id) as "hasPayWord",
        (select ${ms('w.locked_until')} from withdrawal_passwords w
         where w.customer_id = c.id and w.locked_until > now()) as "payWordLockedUntil",
        (select v.reason from verifications v where v.customer_id = c.id and c.real_status = 'failed' order by v.id desc limit 1) as reason
      from customers c where id = $1`,
    values: [customerId],
  });
  if (!rows[0]) throw new Error(`no customer ${customerId}`);
  const { reason, ...row } = rows[0];
  return {
    ...row,
    creditScore: (await readStanding(db, customerId)).creditScore,
    realReason: reason && REASONS[reason][language],
    addresses: await destinations.addresses(db, customerId),
    banks: await destinations.cards(db, customerId),
    balances: await readBalances(db, assets, customerId),
    ...(await readOwnLimits(db, customerId)),
    freezes: await readFreezes(db, customerId, language),
    holds: await readHolds(db, customerId),
  };
}
