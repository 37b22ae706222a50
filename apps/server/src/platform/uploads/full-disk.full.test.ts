import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { register } from '@fairtick/kit/clients/api-client.ts';
import { createTestDatabase } from '@fairtick/kit/database/database.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { submitReal } from '@fairtick/kit/people/pictures.ts';
import { smallDisk } from '@fairtick/kit/processes/disks.ts';
import { expect, test } from 'vitest';

test('a full disk refuses a picture with 503 and keeps no part of it, and room is enough to go on', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-full-'));
  const folder = join(dataDir, 'uploads');
  const disk = smallDisk(folder, 2);
  const db = await createTestDatabase();
  const api = await startApi(db, { dataDir });
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name !== 'ballast',
    );
  try {
    const { token } = await register(api.origin);
    disk.spoil();
    const { status, body } = await submitReal(api.origin, token);
    expect([status, body.error, body.msg]).toEqual([
      503,
      'PICTURE_NOT_STORED',
      'Pictures cannot be stored right now. Please try again later',
    ]);
    expect(files()).toEqual([]);
    disk.mend();
    expect((await submitReal(api.origin, token)).status).toBe(200);
  } finally {
    await api.stop();
    await db.drop();
    disk.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
