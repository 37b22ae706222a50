import { createHash } from 'node:crypto';
import type { Pool } from 'pg';

/** The token hash of the session that {@link openSessions} begins for a customer. */
export const tokenHashOf = (customerId: string): Buffer =>
  createHash('sha256').update(`session of ${customerId}`).digest();

/** Begins a session, live and fresh, for each of these customers, without a login. */
export async function openSessions(owner: Pool, customerIds: readonly string[]): Promise<void> {
  await owner.query(
    `insert into sessions (token_hash, customer_id, fresh_until, user_agent)
     select sha256(convert_to('session of ' || id, 'UTF8')), id, now() + interval '1 day', '' from unnest($1::bigint[]) id`,
    [customerIds],
  );
}

/** Inserts customers with 10 000 DEMO and a session each. */
export async function addTraders(
  owner: Pool,
  count: number,
): Promise<readonly { readonly id: string; readonly account: string }[]> {
  const { rows } = await owner.query<{ id: string; account: string }>(
    `with made as (
       insert into customers (account, nickname, password_hash)
       select 'bulk_' || substr(md5(random()::text || i), 1, 12), 'bulk', 'not a hash' from generate_series(1, $1) i
       returning id, account
     )
     select id, account, ledger.open_balances(id),
       ledger.reset_practice('first', sha256(id::text::bytea), id, 1::smallint) from made`,
    [count],
  );
  await openSessions(
    owner,
    rows.map(({ id }) => id),
  );
  return rows;
}
