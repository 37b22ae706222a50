import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@fairtick/kit/folder.ts';
import { expect, onTestFinished, test } from 'vitest';
import { startEmbedded } from './embedded.ts';
import { superuserOf, withClient } from './with-client.ts';

test('a PostgreSQL that ends at its start is reported with its exit code and the fault in its log', async () => {
  const dataDir = testFolder('ending');
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  await expect(startEmbedded(dataDir, () => {}, { shared_preload_libraries: 'missing' })).rejects.toThrow(
    `PostgreSQL did not start within 30 s (it ended with 1): FATAL:  could not access file "missing": No such file or directory (${join(dataDir, 'postgres.log')})`,
  );
}, 120_000);

test('from a start on, WAL is archived within archive_timeout', async () => {
  const folders = ['archiving', 'archive'].map(testFolder);
  onTestFinished(() => folders.forEach((one) => void rmSync(one, { recursive: true })));
  const [dataDir = '', backupDir = ''] = folders;
  for (let start = 1; start <= 2; start += 1) {
    const postgres = await startEmbedded(dataDir, () => {}, { archive_timeout: '1s' }, backupDir);
    const archived = () => readdirSync(join(backupDir, 'wal')).length;
    const before = archived();
    await withClient(superuserOf(postgres.socketDir), 'test', (db) => db.query(`create table t${start} ()`));
    await expect.poll(archived, { timeout: 15_000 }).toBeGreaterThan(before);
    await postgres.stop();
  }
}, 120_000);
