import { setTimeout as sleep } from 'node:timers/promises';
import { readPublished } from '@fairtick/kit/judges/log-judgement.ts';
import { BackupHouse } from '@fairtick/kit/processes/backup-house.ts';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';

/**
 * Promise 20: a backup restores. An installation is backed up while customers trade, and killed; it is restored to an earlier
 * moment. `backup.long.ts` restores to random moments and to the very end, and measures.
 */
const house = new BackupHouse();
afterAll(() => house.close());

test('a backup under load restores to a moment with all orders acknowledged by then, and the log continues under another name', async () => {
  const lost = await house.begin(16);
  const stop = new AbortController();
  const trading = house.trade(stop.signal);
  const backup = await house.run('backup', lost, { backupDir: house.backupDir });
  expect(backup).toMatchObject({ code: 0 });
  await sleep(500);
  const past = await house.mark();
  await sleep(1_500);
  // As the archive timeout does every half minute.
  await archiveNow(lost.databaseAddress());
  await sleep(500);
  await lost.killAll();
  stop.abort();
  await trading;
  // The test needs orders after the restore point.
  expect(acknowledgedIn(house.journal.read())).toBeGreaterThan(acknowledgedIn(past.acknowledged) + 16);

  const inThePast = house.open('past');
  const { output } = await house.restore(inThePast, '--to', new Date(past.timeMs).toISOString());
  expect(output).toContain('npm run admin -- new-log');
  // Entries published after that moment are missing: the log must not continue under its name.
  const refused = await house.run('start', inThePast);
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('fork') });
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
});

function acknowledgedIn(journal: ReadonlyMap<string, { outcome: string }>): number {
  return [...journal.values()].filter(({ outcome }) => outcome === 'ok').length;
}

async function archiveNow(address: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(address);
  await client.connect();
  await client.query('select pg_switch_wal()');
  await client.end();
}
