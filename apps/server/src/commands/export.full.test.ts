import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { tradedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { signingKeyFile } from '@fairtick/kit/folder.ts';
import { keysOf } from '@fairtick/kit/installation/writers.ts';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';

/** `npm run admin -- export` and `npm run fairtick -- exported` as they are typed. */
const still = forFile(() => tradedHouse());
const folder = temporaryFolder('export');
const TODAY = new Date().toISOString().slice(0, 10);
const BIN = join(import.meta.dirname, '../../../../packages/proof/bin/fairtick.ts');

function run(file: string, args: readonly string[]) {
  const { host, user, database } = still.house.db.ownerAddress;
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: `postgres:///${database}?host=${encodeURIComponent(host as string)}&user=${user}`,
      SIGNING_KEY_FILE: signingKeyFile(still.house.db),
    },
  });
  return { code: status, out: stdout, err: stderr };
}
const exported = (...args: string[]) => run(join(import.meta.dirname, 'admin.ts'), ['export', ...args]);

test('an operator writes a report into a file, which its note proves and the audit log names', async () => {
  const file = join(folder, 'movements.csv');
  const period = ['--from', TODAY, '--to', TODAY, '--reason', 'Asked by the regulator', '--zone', 'UTC'];
  const { code, out, err } = exported('movements', file, ...period);
  expect([code, err]).toEqual([0, '']);
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  const rows = parse(readFileSync(file), { bom: true, columns: true }) as Record<string, string>[];
  expect(out).toContain(`${rows.length} rows in ${file}, SHA-256 ${sha256}`);
  expect(rows.filter(({ kind }) => kind === 'reserve')).toHaveLength(4);
  expect(statSync(file).mode & 0o077).toBe(0);
  const { rows: entries } = await still.house.db.owner.query(
    `select action, staff_id, entry::jsonb -> 'facts' ->> 'reason' as reason from audit_log where subject like 'report:%' order by seq`,
  );
  expect(entries).toEqual([
    { action: 'report.order', staff_id: null, reason: 'Asked by the regulator' },
    { action: 'report.made', staff_id: null, reason: null },
  ]);
  const { checkpoints, acceptances } = keysOf(still.house).verifierKeys;
  const check = (...keys: string[]) =>
    run(BIN, ['exported', file, `${file}.note.txt`, ...keys.flatMap((key) => ['--key', key])]);
  expect(check(checkpoints, acceptances)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^RIGHT: .*\nhouse /),
  });
  appendFileSync(file, ' ');
  expect(check(checkpoints, acceptances)).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^CHANGED: /),
  });
  // A file that exists stays as it is.
  expect(exported('movements', file, ...period)).toMatchObject({ code: 2 });
  expect(readFileSync(file, 'utf8').endsWith('\n ')).toBe(true);
});

test.each([
  [['orders', 'x.csv', '--from', TODAY, '--to', TODAY], 'say why with --reason'],
  [
    ['everything', 'x.csv', '--from', TODAY, '--to', TODAY, '--reason', 'a reason'],
    'there is no report everything',
  ],
  [['orders', 'x.csv', '--from', TODAY, '--reason', 'a reason'], 'say the period with --from and --to'],
  [
    ['orders', 'x.csv', '--from', '2026-02-30', '--to', TODAY, '--reason', 'a reason'],
    'Nothing was exported',
  ],
  [
    ['orders', 'x.csv', '--from', TODAY, '--to', '2020-01-01', '--reason', 'a reason'],
    'the period has to end',
  ],
  [
    ['orders', 'x.csv', '--from', TODAY, '--to', TODAY, '--reason', 'a reason', '--zone', '+08:00'],
    'there is no time zone',
  ],
])('%j is refused before anything is read', (args, reason) => {
  const { code, err } = exported(...args);
  expect(code).toBe(2);
  expect(err).toContain(reason);
  expect(existsSync('x.csv')).toBe(false);
});
