import { countOld, sealAnew } from '../customers/personal-data/rotate.ts';
import { addKey, promoteKey } from '../platform/sealing/key-file.ts';
import { withInstallation } from './maintenance.ts';

/**
 * `npm run rotate-keys`: seals all personal data with a new key while the server runs; after an interruption it
 * continues. Where several machines have copies of the key file, run `npm run rotate-keys -- --prepare`, copy the file
 * to all of them, run this command, and copy it once more.
 */
try {
  await withInstallation('rotate-keys', async ({ db, keyFile, keys, store }) => {
    if (process.argv.includes('--prepare')) {
      addKey(keyFile, { isNext: true });
      console.log(`${keyFile} has a key that opens and does not seal yet: bring the file to every machine`);
      return;
    }
    const old = await countOld({ db, keys });
    if (old > 0) console.log(`going on with a rotation: ${old} values are under an older key`);
    else if (!promoteKey(keyFile)) addKey(keyFile, { isNext: false });
    const done = await sealAnew({ db, keys, store, say: console.log });
    console.log(`${done} values are under the key ${keys.activeKey.toString('hex')}, and none under another.
Keep the older keys in ${keyFile} for as long as there are backups from before.`);
  });
} catch (error) {
  console.error(`The keys were not rotated: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
