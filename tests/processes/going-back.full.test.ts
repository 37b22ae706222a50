import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKey } from '@fairtick/kit/clients/api.ts';
import { postUntilHeard, register } from '@fairtick/kit/clients/api-client.ts';
import { DefectCheckout } from '@fairtick/kit/defects/defect-checkout.ts';
import { NodeProcess } from '@fairtick/kit/processes/node-process.ts';
import { Installation, type ServerProcess } from '@fairtick/kit/processes/server-process.ts';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The upgrade to a later version of the code in a copy, beside processes of this version on the same database. */
const installation = new Installation();
const later = new DefectCheckout();
const engines: NodeProcess[] = [];
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
  await Promise.all(engines.map((engine) => engine.end('SIGINT')));
  await installation.close();
  later.remove();
});

const inLater = (file: string, change: (text: string) => string) => {
  const path = join(later.dir, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
};

/** Starts an engine of the later version, which migrates first. */
async function upgrade(): Promise<NodeProcess> {
  const environment = { MODE: 'demo', DATA_DIR: installation.dataDir, ROLE: 'engine' };
  const engine = new NodeProcess(join(later.dir, 'apps/server/src/commands/start.ts'), { environment });
  engines.push(engine);
  await engine.untilTrue(() => / s {2}ready\n/.test(engine.output()), 110_000);
  return engine;
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

test('beside a later version that only adds, processes of this version trade: one that runs, and one that starts', async () => {
  inLater('apps/server/package.json', (text) => text.replace('"version": "0.2.0"', '"version": "0.3.0"'));
  inLater('apps/server/schema/trading/halts.sql', (text) => `${text}-- of a later version\n`);
  writeFileSync(
    join(later.dir, 'apps/server/migrations/9999-later.sql'),
    '-- Up Migration\nalter table orders add column later text; create table later_things (id bigint primary key);\n',
  );
  expect((await upgrade()).output()).toMatch(/migration 9999-later was run/);
  await expectTrading(running);
  const started = await installation.startReady({ ROLE: 'api' });
  expect(started.output()).toContain('of a newer version (9999-later, 0.3.0) and is used as it is');
  await expectTrading(started);
  expect(await versions()).toEqual(['0.2.0', '0.3.0']);
  await started.stop();
});

test('beside a later version that does more, a start of this version ends with code 2 and says how to go back; a running process goes on', async () => {
  inLater('apps/server/src/platform/db/migrate.ts', (text) =>
    text.replace("OLDEST_BESIDE = '0.2.0'", "OLDEST_BESIDE = '0.3.0'"),
  );
  await upgrade();
  const refused = await installation.start({ ROLE: 'api' });
  await expect.poll(() => refused.isRunning).toBe(false);
  expect(await refused.stop()).toBe(2);
  expect(refused.output()).toMatch(
    /could not start: the database is of a newer version \(9999-later, 0\.3\.0\), which version 0\.2\.0 can't use; 0\.3\.0 is the oldest that can: start the newer version again, or restore a backup to a moment before the upgrade/,
  );
  await expectTrading(running);
});
