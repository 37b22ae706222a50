import { existsSync, renameSync } from 'node:fs';
import type pg from 'pg';
import { readLogHead } from '../market/log/log-head.ts';
import { readRestored, writeRestored } from '../platform/db/restored.ts';
import { withClient } from '../platform/db/with-client.ts';
import type { Command } from './command.ts';
import { stoppedWriter, withInstallation } from './installation.ts';

export const NEW_LOG: Command = {
  name: 'new-log',
  does: 'Gives the public log of a stopped server a new name and new keys',
  help: `For a log that can't continue under its name, because what was published last or its signing key is lost. Entries and
orders stay as they are. The old name ends with its last published state, and no later entry contradicts that.`,
  warning: () =>
    'This ends the name of the public log for good: receipts and monitors of later orders need the new name and its keys.',
  failure: 'The log keeps its name',
  run: () =>
    withInstallation(async ({ database, dataDir, signingKeyFile }) => {
      const name = await withClient(database.admin, 'new-log', rename);
      if (existsSync(signingKeyFile)) renameSync(signingKeyFile, `${signingKeyFile}.before-${name.at}`);
      const restored = readRestored(dataDir);
      if (restored !== null) writeRestored(dataDir, { ...restored, newLog: name.new });
      console.log(`the log was  ${name.old}
and is now   ${name.new}
New keys are made at the next start. Tell those who follow the log: the old name, its last size, and the new name.`);
      return 0;
    }),
};

async function rename(client: pg.Client): Promise<{ old: string; new: string; at: string }> {
  const sight = await stoppedWriter(client);
  const { origin } = await readLogHead(client);
  const at = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:]/g, '');
  const renamed = `${origin.replace(/\/\d{8}T\d{6}Z$/, '')}/${at}`;
  const { rowCount } = await client.query(
    'update log_head set origin = $1, epoch = epoch + 1, holder = null where epoch = $2 and beat = $3',
    [renamed, sight.epoch, sight.beat],
  );
  if (rowCount !== 1)
    throw new Error('a process began to write this log: stop every process of the installation first');
  return { old: origin, new: renamed, at };
}
