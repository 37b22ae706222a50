import { existsSync } from 'node:fs';
import type pg from 'pg';
import { type Config, readConfig } from '../config/config.ts';
import { ConfigError, Faults } from '../config/config-error.ts';
import { DEMO_CUSTOMER } from '../customers/identity/demo-customer.ts';
import { readSourcesFile } from '../market/feeds/live/sources-file.ts';
import { DEMO_MARK } from '../money/deposits/channels.ts';
import type { Queryable } from '../platform/db/database.ts';
import { withClient } from '../platform/db/with-client.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** @throws ConfigError with all faults of the settings and of the files that they name */
export function readWholeConfig(env: Env): Config {
  const faults = new Faults();
  const config = faults.try(() => readConfig(env));
  if (env.MODE === 'live') faults.found.push(...missingKeys(env));
  if (env.FEED === 'live' && env.SOURCES_FILE) faults.found.push(...sourcesFaults(env.SOURCES_FILE));
  faults.refuse();
  return config as Config;
}

/** Live mode makes no keys, so that each has a copy before it counts. */
function missingKeys(env: Env): string[] {
  const isApi = /^(|all|.*\bapi\b.*)$/.test(env.ROLE ?? '');
  return ['SIGNING_KEY_FILE', ...(isApi ? ['ENCRYPTION_KEY_FILE'] : [])].flatMap((name) => {
    const file = env[name];
    return !file || existsSync(file)
      ? []
      : [
          `${name} ${file} does not exist: bring it back, or make it for a new house (npm run admin -- new-house --keys)`,
        ];
  });
}

function sourcesFaults(path: string): string[] {
  try {
    readSourcesFile(path);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Settings without which an acknowledged commit could be lost. */
const DURABLE = ['fsync', 'synchronous_commit', 'full_page_writes'] as const;
const OFF = 'off';

export async function liveFaults(db: Queryable): Promise<string[]> {
  type Found = Readonly<Record<'channels' | 'customers' | 'staff' | 'capital' | 'off', string[]>>;
  const { rows } = await db.query<Found>(
    `select
       array(select c.id::text from current_channels() c
         where c.is_enabled and (c.address like $1 || '%' or c.bank ->> 'accountNumber' like $1 || '%') order by c.id) as channels,
       array(select account from customers where lower(account) = lower($2)) as customers,
       array(select split_part(idempotency_key, ':', 2) from ledger.transfers t where t.kind = 'capital' and exists (
         select from ledger.postings p join ledger.assets a on a.id = p.asset_id where p.transfer_id = t.id and not a.is_practice)
         and idempotency_key !~ '^capital:\\d+$' order by t.id) as capital,
       array(select account from staff where is_demo and is_active order by id) as staff,
       array(select name::text from pg_settings where name = any ($3) and setting = $4 order by name) as off`,
    [DEMO_MARK, DEMO_CUSTOMER.account, DURABLE, OFF],
  );
  const found = rows[0];
  if (!found) throw new Error('the conditions of live mode could not be read');
  const { off, channels, customers, capital, staff } = found;
  const refused = (names: readonly string[], sentence: (names: string) => string) =>
    names.length > 0 ? [`MODE=live refuses ${sentence(names.join(', '))}`] : [];
  return [
    ...off.map((name) => `MODE=live needs ${name} of the database to be on`),
    ...refused(channels, (ids) => `demo channels that are on: ${ids}`),
    ...refused(customers, (accounts) => `a database with the demo customer ${accounts}`),
    ...refused(
      capital,
      (assets) =>
        `the demo's capital (${assets}), which nobody has brought: begin a new house with an empty database`,
    ),
    ...refused(
      staff,
      (accounts) => `a database with the demo's staff (${accounts}): turn these accounts off`,
    ),
  ];
}

export async function refuseUnfitForLive(address: pg.ClientConfig): Promise<void> {
  const faults = await withClient(address, 'start', liveFaults);
  if (faults.length > 0) throw new ConfigError(...faults);
}
