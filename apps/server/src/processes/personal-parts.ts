import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Passwords } from '../customers/identity/passwords.ts';
import { Destinations } from '../customers/personal-data/destinations.ts';
import { WithdrawalPasswords } from '../customers/personal-data/withdrawal-passwords.ts';
import type { Pool } from '../platform/db/database.ts';
import { KeyRing } from '../platform/sealing/key-ring.ts';
import { DiskStore } from '../platform/uploads/disk-store.ts';
import { PictureWorkshop } from '../platform/uploads/picture-workshop.ts';
import { Uploads } from '../platform/uploads/uploads.ts';

export async function personalParts(
  { config, passwords }: { readonly config: Config; readonly passwords: Passwords },
  pool: Pool,
) {
  const keys = await KeyRing.load(pool, config.encryptionKeyFile, { mayMake: config.mode === 'demo' });
  const store = new DiskStore(join(config.dataDir, 'uploads'));
  return {
    keys,
    destinations: new Destinations({ pool, keys }),
    withdrawalPasswords: new WithdrawalPasswords({ pool, keys, passwords }),
    uploads: new Uploads({ store, keys, workshop: new PictureWorkshop({ takesHeic: config.takesHeic }) }),
  };
}
