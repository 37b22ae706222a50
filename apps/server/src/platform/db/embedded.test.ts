import { spawn } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@fairtick/kit/folder.ts';
import { expect, onTestFinished, test } from 'vitest';
import { isAnswering, startEmbedded } from './embedded.ts';

function newFolder(): string {
  const dataDir = testFolder('embedded');
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  return dataDir;
}

/** The number of a process that has nothing to do with PostgreSQL. */
function foreignProcess(): string {
  const other = spawn('sleep', ['600'], { stdio: 'ignore' });
  onTestFinished(() => void other.kill());
  return String(other.pid);
}

test('after a power cut it starts again, although other processes have the numbers in its lock files', async () => {
  const dataDir = newFolder();
  const files = ['postgres/postmaster.pid', 'socket/.s.PGSQL.5432.lock'].map((name) => join(dataDir, name));
  const first = await startEmbedded(dataDir);
  const locks = files.map((file) => readFileSync(file, 'latin1'));
  const number = foreignProcess();
  // The number of the process that owned the database is another's as well, so the next one owns it.
  const owner = join(dataDir, 'owner.pid');
  writeFileSync(owner, readFileSync(owner, 'latin1').replace(/^\d+/, number));
  const second = await startEmbedded(dataDir);
  expect(second.isOwner).toBe(true);
  await second.stop();
  await first.stop();
  for (const [n, lock] of locks.entries())
    writeFileSync(files[n] as string, lock.replace(/^\d+/, number), 'latin1');
  // The data folder was copied, too, and its copy can be read by others.
  const copy = newFolder();
  cpSync(dataDir, copy, { recursive: true });
  chmodSync(join(copy, 'postgres'), 0o755);
  for (const folder of [dataDir, copy]) {
    const again = await startEmbedded(folder);
    expect(again.isOwner).toBe(true);
    await again.stop();
    expect(await isAnswering(again.socketDir, 0)).toBe(false);
  }
}, 120_000);
