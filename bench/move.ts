import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { moveDatabase } from '../apps/server/src/platform/backup/move-database.ts';
import { openDatabase } from '../apps/server/src/platform/db/database.ts';
import { startEmbedded } from '../apps/server/src/platform/db/embedded.ts';
import { withClient } from '../apps/server/src/platform/db/with-client.ts';
import { FILLING, fill } from './kit/fill.ts';
import { printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * Time to move a large installation's data to another server on the same machine. Fills it first, which takes a while.
 *   npm run bench -- move [ORDERS TICKS]
 */
const [ORDERS = sized(1_000_000, 5_000), TICKS = sized(5_000_000, 50_000)] = process.argv
  .slice(2)
  .map(Number);
const folders = ['from', 'to'].map((name) => mkdtempSync(join(tmpdir(), `fairtick-bench-${name}-`)));
const [fromDir = '', toDir = ''] = folders;
try {
  const filling = await startEmbedded(fromDir, () => {}, FILLING);
  const from = await openDatabase({ databaseUrl: null, dataDir: fromDir, backupDir: null }, () => {});
  await fill(from.admin, 'large', { orders: ORDERS, ticks: TICKS, dataDir: fromDir });
  await filling.stop();
  const old = await openDatabase({ databaseUrl: null, dataDir: fromDir, backupDir: null }, () => {});
  const own = await openDatabase({ databaseUrl: null, dataDir: toDir, backupDir: null }, () => {});
  try {
    const source = { ...old.admin, database: 'large' };
    const bytes = await withClient(source, 'bench', async (client) => {
      const { rows } = await client.query<{ bytes: string }>(
        'select pg_database_size(current_database()) as bytes',
      );
      return Number(rows[0]?.bytes);
    });
    const startedMs = performance.now();
    const { rows } = await moveDatabase(source, own.admin, (text) => console.log(`  ${text}`));
    const seconds = (performance.now() - startedMs) / 1_000;
    printTable(
      ['orders', 'rows', 'MB', 's', 'rows/s', 'MB/s'],
      [
        [ORDERS, rows, bytes / 1e6, seconds, rows / seconds, bytes / 1e6 / seconds].map((one) =>
          one.toFixed(0),
        ),
      ],
    );
  } finally {
    await old.embedded?.stop();
    await own.embedded?.stop();
  }
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
