import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalEntry } from '@fairtick/kit/judges/journal.ts';
import { readPublished } from '@fairtick/kit/judges/log-judgement.ts';
import { BackupHouse, type Moment } from '@fairtick/kit/processes/backup-house.ts';
import type { Installation } from '@fairtick/kit/processes/server-process.ts';
import { afterAll, expect, test } from 'vitest';

/**
 * Promise 20, long form: customers trade without a pause, two base backups are taken meanwhile, everything is killed. Then the
 * installation is restored to random moments, to the end of the archive as after the loss of a disk, and with the WAL of the lost
 * disk to its very end.
 */
const CUSTOMERS = 32;
const MOMENTS = 5;
/** The promise for a lost disk: the archive's half minute, plus the time to copy one file. */
const RPO_MS = 35_000;
const RTO_MS = 120_000;

const house = new BackupHouse();
afterAll(() => house.close());

test('a backup under load restores to random moments, to the end of the archive, and with the last WAL to the last commit', async () => {
  const lost = await house.begin(CUSTOMERS);
  const stop = new AbortController();
  const trading = house.trade(stop.signal);
  expect(await house.run('backup', lost, { backupDir: house.backupDir })).toMatchObject({ code: 0 });
  const moments: Moment[] = [];
  for (let round = 0; round < MOMENTS; round += 1) {
    await sleep(randomInt(2_000, 12_000));
    moments.push(await house.mark());
    if (round !== 2) continue;
    expect(await house.run('backup', lost, { backupDir: house.backupDir })).toMatchObject({ code: 0 });
  }
  // Archiving happens by itself here, without a request.
  await sleep(RPO_MS);
  const last = await house.mark();
  await lost.killAll();
  const killedMs = Date.now();
  stop.abort();
  await trading;
  const sent = house.journal.read();
  console.log(
    `${okOf(sent).length} orders acknowledged, ${okOf(last.acknowledged).length} of them before the last look`,
  );
  expect(okOf(last.acknowledged).length).toBeGreaterThan(1_000);

  for (const [place, moment] of moments.entries()) await restoreTo(moment, `moment-${place}`);
  await restoreArchive(killedMs);
  await restoreWhole(lost, { ...last, acknowledged: sent });
});

async function restoreTo(moment: Moment, name: string): Promise<void> {
  const restored = house.open(name);
  const { output } = await house.restore(restored, '--to', new Date(moment.timeMs).toISOString());
  expect(output).toContain('npm run admin -- new-log');
  expect(await house.run('new-log', restored, { args: ['--yes'] })).toMatchObject({ code: 0 });
  const server = await house.startRestored(restored);
  expect(await house.judge(restored, moment)).toEqual([]);
  expect(await house.run('audit', restored, { args: ['--log'] })).toMatchObject({ code: 0 });
  const there = await house.countOrders(restored);
  console.log(`${name}: ${okOf(moment.acknowledged).length} orders were acknowledged, ${there} are there`);
  await server.stop();
}

/** As after the loss of the whole disk: entries that were not archived are gone, and their time is bounded. */
async function restoreArchive(killedMs: number): Promise<void> {
  const restored = house.open('archive');
  const { output } = await house.restore(restored);
  const lastCommitMs = Date.parse(/up to the commit of (\S+)/.exec(output)?.[1] ?? '');
  console.log(`a lost disk costs ${killedMs - lastCommitMs} ms`);
  expect(killedMs - lastCommitMs).toBeLessThan(RPO_MS);
  expect(await house.run('start', restored)).toMatchObject({ code: 2 });
}

async function restoreWhole(lost: Installation, last: Moment): Promise<void> {
  const restored = house.open('whole');
  const beganMs = performance.now();
  const { output } = await house.restore(restored, '--wal', join(lost.dataDir, 'postgres/pg_wal'));
  expect(output).toContain('npm start');
  const restoredMs = performance.now();
  const { origin } = await house.startRestored(restored, house.backupDir);
  const readyMs = performance.now();
  console.log(
    `restored in ${Math.round(restoredMs - beganMs)} ms, ready after ${Math.round(readyMs - restoredMs)} ms more`,
  );
  expect(readyMs - beganMs).toBeLessThan(RTO_MS);
  expect(await house.judge(restored, last)).toEqual([]);
  // Under its old name and key, and with its old archive, which must have no gap and no second history.
  const { name, verifierKey } = last.published;
  expect(await readPublished(origin)).toMatchObject({ name, verifierKey });
  const options = { backupDir: house.backupDir, args: ['--keep', '1'] };
  expect(await house.run('backup', restored, options)).toMatchObject({ code: 0 });
  expect(await house.restore(restored)).toMatchObject({
    code: 2,
    output: expect.stringContaining('overwrites nothing'),
  });
  const again = house.open('again');
  expect(await house.restore(again)).toMatchObject({ code: 0 });
}

function okOf(journal: ReadonlyMap<string, JournalEntry>): JournalEntry[] {
  return [...journal.values()].filter(({ outcome }) => outcome === 'ok');
}
