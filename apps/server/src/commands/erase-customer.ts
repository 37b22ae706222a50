import { randomBytes } from 'node:crypto';
import { Passwords } from '../customers/identity/passwords.ts';
import { eraseCustomer } from '../customers/personal-data/erase.ts';
import { withInstallation } from './maintenance.ts';

/** `npm run erase-customer ACCOUNT`: erases what identifies a customer; records of money stay. It can't be undone. */
const account = process.argv[2];
try {
  if (account === undefined) throw new Error('say whose: npm run erase-customer ACCOUNT');
  const newHash = await new Passwords().hash(randomBytes(32).toString('base64url'));
  await withInstallation('erase-customer', async ({ db, store }) => {
    const { customerId, files } = await eraseCustomer(db, store, { account, newHash });
    console.log(`customer ${customerId} is erased, with ${files} files; backups from before still hold them`);
  });
} catch (error) {
  console.error(`Nothing was erased: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
