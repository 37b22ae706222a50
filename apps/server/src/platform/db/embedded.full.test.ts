import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@fairtick/kit/folder.ts';
import { expect, onTestFinished, test } from 'vitest';
import { startEmbedded } from './embedded.ts';

test('a PostgreSQL that ends at its start is reported with its exit code and the fault in its log', async () => {
  const dataDir = testFolder('ending');
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  await expect(startEmbedded(dataDir, () => {}, { shared_preload_libraries: 'missing' })).rejects.toThrow(
    `PostgreSQL did not start within 30 s (it ended with 1): FATAL:  could not access file "missing": No such file or directory (${join(dataDir, 'postgres.log')})`,
  );
}, 120_000);
