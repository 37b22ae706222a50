import type { Data } from '@fairtick/protocol';
import type { Queryable } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
import type { Session } from '../../platform/http/session.ts';

/** The customer's sessions: the current one first, then the last used. */
export async function readDevices(db: Queryable, session: Session): Promise<Data<'sessions'>> {
  const { rows } = await db.query<{
    id: string;
    is_current: boolean;
    created_at: Date;
    last_used_at: Date;
    user_agent: string;
    address: string | null;
  }>(
    `with own as (select id from sessions_look(array[$2::bytea]))
     select id, id in (select id from own) as is_current, created_at, last_used_at, user_agent, host(address) as address
     from sessions where customer_id = $1 and last_used_at > now() - interval '30 days' and created_at > now() - interval '90 days'
     order by id in (select id from own) desc, last_used_at desc, id desc`,
    [session.customerId, session.tokenHash],
  );
  return rows.map((row) => ({
    id: row.id,
    isCurrent: row.is_current,
    createdAt: row.created_at.getTime(),
    lastUsedAt: row.last_used_at.getTime(),
    device: row.user_agent,
    address: row.address,
  }));
}

/** Logins and failed attempts, newest first. */
export async function readLogins(
  db: Queryable,
  customerId: string,
  { limit = 20, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<Data<'logins'>> {
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) throw new RefusalError('INVALID_CURSOR');
  const { rows } = await db.query<{
    id: string;
    at: Date;
    is_success: boolean;
    user_agent: string;
    address: string | null;
  }>(
    `select id, at, is_success, user_agent, host(address) as address from login_events
     where customer_id = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`,
    [customerId, cursor ?? null, limit + 1],
  );
  const items = rows.slice(0, limit).map((row) => ({
    id: row.id,
    time: row.at.getTime(),
    isSuccess: row.is_success,
    device: row.user_agent,
    address: row.address,
  }));
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
