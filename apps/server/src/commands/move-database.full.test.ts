import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { get } from '@fairtick/kit/clients/api-client.ts';
import { placeFirstOrder } from '@fairtick/kit/clients/first-order.ts';
import { dataOf } from '@fairtick/kit/clients/read-answers.ts';
import { createTestDatabase, type TestDatabase } from '@fairtick/kit/database/database.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { Installation, type ServerProcess } from '@fairtick/kit/processes/server-process.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** `npm run admin -- move-database`, from an installation that has taken an order to an empty database of another server. */
const target = forFile(() => createTestDatabase('template0'));
const house = new Installation();
let running: ServerProcess;
let token: string;
let url: string;

beforeAll(async () => {
  running = await house.startReady();
  token = await placeFirstOrder(running.origin);
  url = urlOf(target);
}, 300_000);
afterAll(() => house.close());

const urlOf = ({ name, ownerAddress }: TestDatabase) =>
  `postgres:///${name}?host=${encodeURIComponent(String(ownerAddress.host))}&user=fairtick_owner`;

function run(file: 'admin.ts' | 'start.ts', ...args: readonly string[]) {
  const env = { PATH: process.env.PATH, DATA_DIR: house.dataDir };
  const done = spawnSync(process.execPath, [join(import.meta.dirname, file), ...args], {
    env,
    encoding: 'utf8',
  });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

test('while a server runs, nothing is moved', () => {
  expect(run('admin.ts', 'move-database', '--to', url)).toMatchObject({
    code: 2,
    err: expect.stringContaining('a process uses the database: stop every process'),
  });
});

test('of a stopped server all rows are moved, and the next server goes on with its log, customers and orders', async () => {
  await running.stop();
  const file = join(house.dataDir, 'address');
  writeFileSync(file, `${url}\n`);
  const moved = run('admin.ts', 'move-database', '--to', file);
  expect(moved).toMatchObject({ code: 0, err: '' });
  expect(moved.out).toMatch(/\d{3,} rows of \d{2,} tables were copied/);
  expect(moved.out).toContain('ok    the log’s entries give the roots of its head');
  expect(moved.out).not.toContain('WRONG');

  const again = run('start.ts');
  expect([again.code, again.err]).toEqual([
    2,
    expect.stringMatching(/was moved to t_\w+ at .*: set DATABASE_URL/),
  ]);
  expect(run('admin.ts', 'move-database', '--to', url)).toMatchObject({ code: 2, err: /was moved/ });

  const server = await house.startReady({ DATABASE_URL: url });
  const { items } = await dataOf(get(server.origin, 'order/list', {}, { token }));
  expect(items).toHaveLength(1);
  // New numbers follow those that were moved.
  await placeFirstOrder(server.origin);
  await server.stop();
  const { rows } = await target.owner.query('select customer_id from orders order by id');
  expect(new Set(rows.map(({ customer_id }) => customer_id)).size).toBe(2);
});

test('a database with tables is refused, and stays as it is', async () => {
  rmSync(join(house.dataDir, 'moved.json'));
  const before = await target.owner.query('select count(*) from customers');
  expect(run('admin.ts', 'move-database', '--to', url)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/the new database has \d+ tables: name an empty one/),
  });
  expect((await target.owner.query('select count(*) from customers')).rows).toEqual(before.rows);
});
