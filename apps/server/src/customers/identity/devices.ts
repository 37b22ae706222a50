import type { Data } from '@fairtick/protocol';
import type { Queryable } from '../../platform/db/database.ts';
import type { Session } from '../../platform/http/session.ts';
import { ms } from '../../platform/office-queries.ts';
import { type PageFilter, readPage } from '../../platform/paging.ts';

/** The customer's sessions: the current one first, then the last used. */
export async function readDevices(db: Queryable, session: Session): Promise<Data<'sessions'>> {
  const { rows } = await db.query<Data<'sessions'>[number]>(
    `with own as (select id from sessions_look(array[$2::bytea]))
     select id::text, id in (select id from own) as "isCurrent", ${ms('created_at')} as "createdAt", ${ms('last_used_at')} as "lastUsedAt",
       user_agent as device, host(address) as address
     from sessions where customer_id = $1 and last_used_at > now() - interval '30 days' and created_at > now() - interval '90 days'
     order by id in (select id from own) desc, last_used_at desc, sessions.id desc`,
    [session.customerId, session.tokenHash],
  );
  return rows;
}

/** Logins and failed attempts, newest first. */
export const readLogins = (db: Queryable, customerId: string, filter: PageFilter): Promise<Data<'logins'>> =>
  readPage(filter, async (limit) => {
    const { rows } = await db.query<Data<'logins'>['items'][number]>(
      `select e.id::text, ${ms('e.at')} as time, e.is_success as "isSuccess", e.user_agent as device, host(e.address) as address
       from login_events e where e.customer_id = $1 and ($2::bigint is null or e.id < $2) order by e.id desc limit $3`,
      [customerId, filter.cursor, limit],
    );
    return rows;
  });
