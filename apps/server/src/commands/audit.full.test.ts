import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { tradedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { signingKeyFile } from '@fairtick/kit/folder.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { CHANCE_CHECK } from '../transparency/audit/audit-chance-check.ts';
import { AUDIT_CHECKS } from '../transparency/audit/audit-checks.ts';
import { REPLAY_CHECK } from '../transparency/audit/audit-replay-check.ts';
import { schemaCheck } from '../transparency/audit/audit-schema-check.ts';
import { scopeOfAudit } from '../transparency/audit/audit-scope.ts';
import { SEEDED_CHECK } from './audit-seeded.ts';

const still = forFile(() => tradedHouse());

describe('npm run admin -- audit', () => {
  // As the schema has it: a still house lets its log lead the clock.
  beforeAll(() =>
    still.house.db.owner.query(
      `create or replace function log_tolerance() returns bigint immutable language sql as 'select 3000::bigint'`,
    ),
  );

  /** Runs the command as a separate process. */
  async function run(
    env: Record<string, string>,
    ...args: string[]
  ): Promise<{ code: number | null; output: string }> {
    const command = spawn(process.execPath, [join(import.meta.dirname, 'admin.ts'), 'audit', ...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [command.stdout, command.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const code = await new Promise<number | null>((resolve) => command.once('close', resolve));
    return { code, output };
  }

  const environment = () => ({ DATABASE_URL: address(), SIGNING_KEY_FILE: signingKeyFile(still.house.db) });
  const address = () => {
    const { host, user, database } = still.house.db.ownerAddress;
    return `postgres:///${database}?host=${encodeURIComponent(host as string)}&user=${user}`;
  };

  test('prints one line per check and exits with 0 when it finds nothing', async () => {
    const { code, output } = await run(environment());
    expect(output.trimEnd().split('\n')).toEqual(
      [
        ...AUDIT_CHECKS,
        REPLAY_CHECK,
        CHANCE_CHECK,
        SEEDED_CHECK,
        schemaCheck(),
        { name: 'each batch of acceptances is signed by a key of the log' },
      ].map(({ name }) => `ok    ${name}`),
    );
    expect(code).toBe(0);
  });

  test('with --log reports what it checked, what it did not check, and how to check the rest', async () => {
    const { rows } = await still.house.db.owner.query<Record<string, string>>(
      `select h.size, (select count(*) from orders_and_results where settled_at_ms is not null) as settled,
         (select count(*) from order_batches) as batches, (select count(*) from ledger.transfers) as transfers from log_head h`,
    );
    const { size, settled, batches, transfers } = rows[0] as Record<string, string>;
    const { code, output } = await run(environment(), '--log');
    const lines = output.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines[AUDIT_CHECKS.length + 5]).toMatch(/^ok {4}the log’s entries give the roots/);
    const looked = lines.slice(AUDIT_CHECKS.length + 6);
    expect(looked[0]).toContain(`looked at      ${size} entries of the log`);
    expect(looked[0]).toContain('; 0 of them only the archive has');
    expect(looked[1]).toContain(`${transfers} transfers of the ledger`);
    const left = looked.slice(2);
    for (const line of left) expect(line).toMatch(/^NOT looked at {2}\S.+: \S/);
    expect(looked[1]).toContain(`${settled} of them settled again from the log`);
    expect(looked[1]).toContain(`orders in ${batches} batches`);
    for (const what of ['signature of the newest checkpoint', 'backups', 'earlier under this log’s name'])
      expect(left.join('\n')).toContain(what);
    // There are none here, so the report does not mention them.
    expect(output).not.toMatch(/pictures|cosignatures|undefined|\{/);
    // Entries that only the archive has are hashed, and not checked further.
    const client = await still.house.db.owner.connect();
    await client.query('begin');
    await client.query('delete from log_entries where index < 5');
    expect((await scopeOfAudit(client)).join('\n')).toContain(
      'numbers and times of the 5 entries that only the archive',
    );
    await client.query('rollback');
    client.release();
  });

  test('names each finding and exits with 1', async () => {
    await still.house.db.owner.query(
      'update ledger.balances set held = held + 1 where owner_id = 1003 and asset_id = 1',
    );
    const { code, output } = await run({ DATABASE_URL: address() });
    expect(output).toContain('WRONG the ledger adds up: 2');
    expect(output).toContain('customer 1003 asset 1: holds 50000001, stakes and withdrawals 50000000');
    expect(code).toBe(1);
    await still.house.db.owner.query(
      'update ledger.balances set held = held - 1 where owner_id = 1003 and asset_id = 1',
    );
  });

  test('exits with 2 without a database and creates none', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-audit-'));
    const { code, output } = await run({ DATA_DIR: dataDir });
    expect(output).toMatch(/could not look: there is no database under/);
    expect(code).toBe(2);
    rmSync(dataDir, { recursive: true });
  });
});
