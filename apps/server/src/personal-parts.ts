import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Pool } from './db/database.ts';
import type { Passwords } from './identity/passwords.ts';
import { Destinations } from './personal-data/destinations.ts';
import { KeyRing } from './personal-data/key-ring.ts';
import { PayWords } from './personal-data/pay-words.ts';
import { DiskStore } from './uploads/disk-store.ts';
import { ImageWorkshop } from './uploads/image-workshop.ts';
import { Uploads } from './uploads/uploads.ts';

/** Creates the parts that handle personal data: records, pictures, withdrawal passwords. */
export async function personalParts(
  { config, passwords }: { readonly config: Config; readonly passwords: Passwords },
  pool: Pool,
) {
  const keys = await KeyRing.load(pool, config.encryptionKeyFile, { mayMake: config.mode === 'demo' });
  const store = new DiskStore(join(config.dataDir, 'uploads'));
  return {
    keys,
    destinations: new Destinations({ pool, keys }),
    payWords: new PayWords({ pool, keys, passwords }),
    uploads: new Uploads({ store, keys, workshop: new ImageWorkshop() }),
  };
}
