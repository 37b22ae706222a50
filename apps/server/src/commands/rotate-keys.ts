import { countOld, sealAnew } from '../customers/personal-data/seal-anew.ts';
import { addKey, promoteKey } from '../platform/sealing/key-file.ts';
import type { Command } from './command.ts';
import { withPersonalData } from './installation.ts';

export const ROTATE_KEYS: Command = {
  name: 'rotate-keys',
  options: { prepare: { type: 'boolean' }, lost: { type: 'string' } },
  usage: '[--prepare | --lost N]',
  does: 'Seals all personal data with a new key, while the server runs',
  help: `An interrupted rotation continues when the command runs again. Machines with copies of the key file need four steps:
rotate-keys --prepare adds a key that opens and does not seal yet; copy the file to all of them; rotate-keys; copy the file again. --lost N gives up the N stored pictures that no backup has:
they count as erased, and the audit log names each.`,
  warning: ({ prepare }) =>
    prepare === true
      ? null
      : 'This seals every record again with a new key. Copies of the key file on other machines must have that key.',
  failure: 'The keys were not rotated',
  run: ({ values }) =>
    withPersonalData('rotate-keys', async ({ db, keyFile, keys, store }) => {
      if (values.prepare === true) {
        addKey(keyFile, { isNext: true });
        console.log(`${keyFile} has a key that opens and does not seal yet: bring the file to every machine`);
        return 0;
      }
      const lost = lostOf(values.lost);
      const old = await countOld({ db, keys });
      if (old > 0) console.log(`going on with a rotation: ${old} values are under an older key`);
      else if (!promoteKey(keyFile)) addKey(keyFile, { isNext: false });
      const done = await sealAnew({ db, keys, store, lost, say: console.log });
      console.log(`${done} values are under the key ${keys.activeKey.toString('hex')}, and none under another.
Keep the older keys in ${keyFile} for as long as there are backups from before.`);
      return 0;
    }),
};

function lostOf(text: unknown): number | null {
  if (text === undefined) return null;
  if (typeof text !== 'string' || !/^[1-9]\d{0,6}$/.test(text))
    throw new Error(`--lost must be the number of lost pictures, not "${text}"`);
  return Number(text);
}
