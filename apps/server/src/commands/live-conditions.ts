import pg from 'pg';
import { ConfigError } from '../config/config.ts';
import { DEMO_CUSTOMER } from '../customers/identity/demo-customer.ts';
import { DEMO_MARK } from '../money/deposits/channels.ts';
import type { Queryable } from '../platform/db/database.ts';

/** Settings without which an acknowledged commit could be lost. */
const DURABLE = ['fsync', 'synchronous_commit', 'full_page_writes'] as const;
/** All values of synchronous_commit except `off` wait at least for this machine's disk. */
const OFF = 'off';

/**
 * Faults of the database that keep live mode from starting, one sentence each; empty when there are none. The
 * configuration checks the environment, and the preparation of staff looks for demo staff.
 */
export async function liveFaults(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ channels: string[]; customers: string[]; off: string[] }>(
    `select
       array(select c.id::text from current_channels() c
         where c.is_enabled and (c.address like $1 || '%' or c.bank ->> 'accountNumber' like $1 || '%') order by c.id) as channels,
       array(select account from customers where lower(account) = lower($2)) as customers,
       array(select name::text from pg_settings where name = any ($3) and setting = $4 order by name) as off`,
    [DEMO_MARK, DEMO_CUSTOMER.account, DURABLE, OFF],
  );
  const found = rows[0];
  if (!found) throw new Error('the conditions of live mode could not be read');
  const list = (names: readonly string[]) => names.join(', ');
  return [
    ...found.off.map((name) => `MODE=live needs ${name} of the database to be on`),
    ...(found.channels.length > 0
      ? [`MODE=live refuses demo channels that are on: ${list(found.channels)}`]
      : []),
    ...(found.customers.length > 0
      ? [`MODE=live refuses a database with the demo customer ${list(found.customers)}`]
      : []),
  ];
}

/** @throws ConfigError with the first fault */
export async function refuseUnfitForLive(address: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(address);
  await client.connect();
  try {
    const [first] = await liveFaults(client);
    if (first !== undefined) throw new ConfigError(first);
  } finally {
    await client.end();
  }
}
