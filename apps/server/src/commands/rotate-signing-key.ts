import { type Rotation, rotateSigningKeys } from '../market/keys/rotation.ts';
import { readLogHead } from '../market/log/log-head.ts';
import { createPool } from '../platform/db/database.ts';
import type { Command } from './command.ts';
import { type Installation, stoppedWriter, withInstallation } from './installation.ts';

export const ROTATE_SIGNING_KEY: Command = {
  name: 'rotate-signing-key',
  does: 'Hands over from the keys that sign the log and its acceptances to new ones, in the log itself',
  help: 'All processes must be stopped, because they read the keys when they start.',
  warning: () => 'From then on the old keys sign nothing: everybody who pins them needs the new ones.',
  failure: 'The log keeps its keys',
  run: async () => {
    const { until, kept, verifierKeys } = await withInstallation(rotate);
    console.log(`The log has new keys. The old ones are valid up to its size of ${until} and are kept in
  ${kept}
The new ones, for everybody who pins them:
  ${verifierKeys.checkpoints}
  ${verifierKeys.acceptances}
Copy the key file to every machine before the installation starts again.`);
    return 0;
  },
};

async function rotate({ database, signingKeyFile }: Installation): Promise<Rotation> {
  const pool = createPool(database.admin, { max: 2, name: 'rotate-signing-key' });
  try {
    const { epoch, beat } = await stoppedWriter(pool);
    const { rows } = await pool.query<{ epoch: string | null }>('select log_acquire($1, $2, $3) as epoch', [
      'rotate-signing-key',
      epoch,
      beat,
    ]);
    if (rows[0]?.epoch == null)
      throw new Error('a process writes this log: stop every process of the installation first');
    try {
      return await rotateSigningKeys(pool, signingKeyFile, await readLogHead(pool));
    } finally {
      await pool.query('select log_release($1)', [rows[0].epoch]);
    }
  } finally {
    await pool.end();
  }
}
