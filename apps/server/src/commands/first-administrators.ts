import { makeFirstAdministrators } from '../office/core/first-administrators.ts';
import { withClient } from '../platform/db/with-client.ts';
import type { Command } from './command.ts';
import { withInstallation } from './installation.ts';

export const FIRST_ADMINISTRATORS: Command = {
  name: 'first-administrators',
  needs: ['ACCOUNT', 'ACCOUNT'],
  does: 'Makes the first two administrators of the office, each with a password for one login',
  help: `For two people: what one administrator proposes, the other carries out. It is also the way back when all but one are gone.`,
  failure: 'Nobody was made an administrator',
  run: ({ positionals }) =>
    withInstallation(({ database }) =>
      withClient(database.admin, 'first-administrators', async (owner) => {
        for (const { account, oneTimePassword } of await makeFirstAdministrators(owner, positionals))
          console.log(`${account.padEnd(18)}  ${oneTimePassword}`);
        console.log(
          'Each is for a login within 24 hours, which asks for a password of one’s own. It is shown this once.',
        );
        return 0;
      }),
    ),
};
