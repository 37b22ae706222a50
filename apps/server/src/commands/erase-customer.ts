import { randomBytes } from 'node:crypto';
import { Passwords } from '../customers/identity/passwords.ts';
import { eraseCustomer } from '../customers/personal-data/erase.ts';
import type { Command } from './command.ts';
import { withPersonalData } from './installation.ts';

export const ERASE_CUSTOMER: Command = {
  name: 'erase-customer',
  needs: ['ACCOUNT'],
  does: 'Erases what identifies a customer',
  help: 'Records of money stay, under the number of the customer. Backups from before still hold the data.',
  warning: () => "The customer's name, documents, destinations and conversations are gone for good.",
  failure: 'Nothing was erased',
  run: async ({ positionals: [account = ''] }) => {
    const newHash = await new Passwords().hash(randomBytes(32).toString('base64url'));
    return withPersonalData('erase-customer', async ({ db, store }) => {
      const { customerId, files } = await eraseCustomer(db, store, { account, newHash });
      console.log(
        `customer ${customerId} is erased, with ${files} files; backups from before still hold them`,
      );
      return 0;
    });
  },
};
