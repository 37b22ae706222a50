import pg from 'pg';
import { ConfigError } from './config.ts';
import type { Queryable } from './db/database.ts';
import { DEMO_CUSTOMER } from './identity/demo-customer.ts';
import { DEMO_MARK } from './recharge/channels.ts';

/** What must be on, or a commit that was answered could be lost. */
const DURABLE = ['fsync', 'synchronous_commit', 'full_page_writes'] as const;
/** Of synchronous_commit: all but `off` wait at least for this machine's disk. */
const OFF = 'off';

/**
 * What in the database keeps live mode from starting, a sentence each; none where all is well. What the environment lacks
 * is the configuration's to say, and demo staff are looked for where staff are prepared.
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

/** @throws ConfigError with the first thing that is wrong */
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
