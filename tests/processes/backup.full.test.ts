import { setTimeout as sleep } from 'node:timers/promises';
import { readPublished } from '@fairtick/kit/judges/log-judgement.ts';
import { BackupHouse } from '@fairtick/kit/processes/backup-house.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';

/**
 * Promise 20: a backup restores. An installation is backed up while customers trade, and killed; it is restored to an earlier
 * moment. `backup.long.test.ts` restores to random moments and to the very end, and measures.
 */
const house = new BackupHouse();
afterAll(() => house.close());

test('a backup under load restores to a moment with all orders acknowledged by then, and the log continues under another name', async () => {
  const lost = await house.begin(16);
  const [stop, stopLater] = [new AbortController(), new AbortController()];
  const trading = house.trade(stop.signal);
  const backup = await house.run('backup', lost, { backupDir: house.backupDir });
  expect(backup).toMatchObject({ code: 0 });
  await sleep(500);
  const past = await house.mark();
  // The test needs orders after the restore point. A customer stops at an order without an answer, so all of them begin again.
  stop.abort();
  await trading;
  const tradingOn = house.trade(stopLater.signal);
  await seen(() => acknowledgedIn(house.journal.read()) > acknowledgedIn(past.acknowledged) + 16, {
    everyMs: 100,
    what: 'orders after the restore point',
  });
  await archiveNow(lost.databaseAddress());
  await lost.killAll();
  stopLater.abort();
  await tradingOn;

  const inThePast = house.open('past');
  const { output } = await house.restore(inThePast, '--to', new Date(past.timeMs).toISOString());
  expect(output).toContain('npm run admin -- new-log');
  // Entries published after that moment are missing: the log must not continue under its name.
  const refused = await house.run('start', inThePast);
  expect(refused).toMatchObject({ code: 2, output: expect.stringContaining('fork') });
  // The archive must not continue from there either, because it already has a later history.
  const branched = await house.run('new-log', inThePast, {
    args: ['--yes'],
    backupDir: house.backupDir,
  });
  expect(branched).toMatchObject({ code: 2, output: expect.stringContaining('BACKUP_DIR of its own') });
  expect(await house.run('new-log', inThePast, { args: ['--yes'] })).toMatchObject({ code: 0 });
  const renamed = await house.startRestored(inThePast);
  expect(await house.judge(inThePast, past)).toEqual([]);
  const another = await readPublished(renamed.origin);
  expect(another.name).not.toBe(past.published.name);
  expect(another.verifierKey).not.toBe(past.published.verifierKey);
  await renamed.stop();
}, 400_000);

function acknowledgedIn(journal: ReadonlyMap<string, { outcome: string }>): number {
  return [...journal.values()].filter(({ outcome }) => outcome === 'ok').length;
}

/** Archives all that is written, as the archive timeout does every half minute. */
async function archiveNow(address: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(address);
  await client.connect();
  const { rows } = await client.query<{ segment: string }>(
    'select pg_walfile_name(pg_switch_wal()) as segment',
  );
  const isArchived = async () => {
    const archiver = await client.query<{ is_there: boolean | null }>(
      'select last_archived_wal collate "C" >= $1 as is_there from pg_stat_archiver',
      [rows[0]?.segment],
    );
    return archiver.rows[0]?.is_there;
  };
  await seen(isArchived, { everyMs: 100, what: `${rows[0]?.segment} in the archive` });
  await client.end();
}
