import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newKey } from '@fairtick/kit/clients/api.ts';
import { postUntilHeard, register } from '@fairtick/kit/clients/api-client.ts';
import { DefectCheckout } from '@fairtick/kit/defects/defect-checkout.ts';
import { Journal } from '@fairtick/kit/judges/journal.ts';
import { judge } from '@fairtick/kit/judges/judgement.ts';
import { LoadClient } from '@fairtick/kit/load/load-client.ts';
import { during, openSymbols, resolveUnknown, tradeOn, untilSettled } from '@fairtick/kit/load/trading.ts';
import { type Environment, NodeProcess } from '@fairtick/kit/processes/node-process.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { Installation, type ServerProcess } from '@fairtick/kit/processes/server-process.ts';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSION } from '../../apps/server/src/platform/build.ts';

/** The upgrade to a later version of the code in a copy, beside processes of this version on the same database. */
const installation = new Installation();
const later = new DefectCheckout();
const laters: NodeProcess[] = [];
/** Above every version of this one's first number. */
const LATER = `${VERSION.split('.')[0]}.9999.0`;
const CUSTOMERS = 6;
let running: ServerProcess;
let db: pg.Pool;

beforeAll(async () => {
  running = await installation.startReady();
  db = new pg.Pool({ ...installation.databaseAddress(), max: 2 });
  // Processes of the database are killed at the end.
  db.on('error', () => {});
}, 240_000);
afterAll(async () => {
  await db?.end();
  await Promise.all(laters.map((one) => one.end('SIGINT')));
  await installation.close();
  later.remove();
});

const inLater = (file: string, change: (text: string) => string) => {
  const path = join(later.dir, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
};

/** Starts a process of the later version, which migrates first. */
async function startLater(environment: Environment): Promise<NodeProcess> {
  const started = new NodeProcess(join(later.dir, 'apps/server/src/commands/start.ts'), {
    environment: { MODE: 'demo', DATA_DIR: installation.dataDir, OFFICE_PORT: 'off', ...environment },
  });
  laters.push(started);
  await started.untilTrue(() => / s {2}ready\n/.test(started.output()), 110_000);
  return started;
}

/** The process is ready, and a new customer of it places an order. */
async function expectTrading({ origin }: ServerProcess): Promise<void> {
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  const { token } = await register(origin);
  const order = { symbol: 'BTC/USDT', direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' };
  const { body } = await postUntilHeard(origin, 'order/create', order, { token, key: newKey() });
  expect([body.code, body.msg]).toEqual([1, '']);
}

const versions = async (): Promise<string[]> => {
  const { rows } = await db.query<{ version: string }>(
    'select distinct version from migrations.functions order by 1',
  );
  return rows.map(({ version }) => version);
};

const LATER_COLUMN = `-- Up Migration
alter table orders add column later text;
create index log_entries_later on only log_entries (rules_id);
`;
const LATER_INDEXES = `-- Up Migration, no transaction
drop index concurrently if exists ledger.transfers_later;
create index concurrently transfers_later on ledger.transfers (created_at, kind);
-- each partition of log_entries without log_entries_later
drop index concurrently if exists {partition}_later;
-- each partition of log_entries without log_entries_later
create index concurrently {name}_later on {partition} (rules_id);
-- each partition of log_entries without log_entries_later
alter index log_entries_later attach partition {partition}_later;
`;

/** What a later version brings: a column, and indexes that are built without a lock on their tables. */
function plantLater(): void {
  inLater('apps/server/package.json', (text) => text.replace(/"version": "[^"]+"/, `"version": "${LATER}"`));
  inLater('apps/server/schema/trading/halts.sql', (text) => `${text}-- of a later version\n`);
  const folder = join(later.dir, 'apps/server/migrations');
  writeFileSync(join(folder, '9998-column.sql'), LATER_COLUMN);
  writeFileSync(join(folder, '9999-index.sql'), LATER_INDEXES);
}

test('under load, the upgrade to a version that only adds and the way back lose nothing, and processes of both versions trade', async () => {
  plantLater();
  const journal = new Journal(join(installation.dataDir, 'journal.jsonl'));
  const client = new LoadClient(running.origin, journal);
  await client.register(CUSTOMERS);
  const symbols = await openSymbols(running.origin);
  /** How many orders each of these processes took. */
  const taken = new Map<LoadClient, number>();
  const trading = (at: LoadClient) => (signal: AbortSignal) =>
    tradeOn(at, symbols, {
      signal,
      onAnswer: ({ outcome }) => outcome === 'ok' && taken.set(at, (taken.get(at) ?? 0) + 1),
    });
  const port = String(await freePort());
  const [api, engine] = await during(trading(client), () =>
    // Both want to migrate, and one waits.
    Promise.all([startLater({ ROLE: 'api', PORT: port }), startLater({ ROLE: 'engine' })]),
  );
  expect(taken.get(client)).toBeGreaterThan(CUSTOMERS);
  const told = api.output() + engine.output();
  for (const name of ['9998-column', '9999-index'])
    expect(told.split(`migration ${name} was run`)).toHaveLength(2);
  const { rows: built } = await db.query(
    `select indexrelid::regclass::text as index from pg_index
     where indisvalid and indexrelid in ('ledger.transfers_later'::regclass, 'log_entries_later'::regclass)`,
  );
  expect(built).toHaveLength(2);
  const atLater = client.at(`http://127.0.0.1:${port}`);
  await during(trading(atLater), () => sleep(3_000));
  expect(taken.get(atLater)).toBeGreaterThan(CUSTOMERS);

  // The way back: a process of this version takes the place of the later ones.
  for (const one of laters.splice(0)) expect(await one.end('SIGTERM')).toBe(0);
  const started = await installation.startReady({ ROLE: 'api' });
  expect(started.output()).toContain(
    `of a newer version (9998-column, 9999-index, ${LATER}) and is used as it is`,
  );
  const back = client.at(started.origin);
  await during(trading(back), () => sleep(3_000));
  expect(taken.get(back)).toBeGreaterThan(CUSTOMERS);
  await resolveUnknown(client, journal, 60_000);
  await untilSettled(db);
  expect(await judge(db, journal.read())).toEqual([]);
  expect(await versions()).toEqual([VERSION, LATER]);
  client.close();
  await started.stop();
}, 400_000);

test('beside a later version that does more, a start of this version ends with code 2 and says how to go back; a running process goes on', async () => {
  inLater('apps/server/src/platform/db/migrate.ts', (text) =>
    text.replace(/OLDEST_BESIDE = '[^']+'/, `OLDEST_BESIDE = '${LATER}'`),
  );
  await startLater({ ROLE: 'engine' });
  const refused = await installation.start({ ROLE: 'api' });
  await expect.poll(() => refused.isRunning).toBe(false);
  expect(await refused.stop()).toBe(2);
  expect(refused.output()).toContain(
    `could not start: the database is of a newer version (9998-column, 9999-index, ${LATER}), which version ${VERSION} can't use; ${LATER} is the oldest that can: start the newer version again, or restore a backup to a moment before the upgrade`,
  );
  await expectTrading(running);
});
