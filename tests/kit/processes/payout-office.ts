import { createPool } from '../../../apps/server/src/platform/db/database.ts';
import { startOffice } from '../clients/office-client.ts';
import type { TestDatabase } from '../database/database.ts';
import { payoutsAt } from '../installation/payment-provider.ts';

/** An office with a payment provider, in a process that can be killed: `payout-office.ts DATABASE SOCKET PROVIDER`. */
const [name = '', host = '', provider = ''] = process.argv.slice(2);
const address = (user: string) => ({ host, user, database: name });
const chainAddress = address('fairtick_chain');
const db: TestDatabase = {
  name,
  ownerAddress: address('fairtick_owner'),
  serverAddress: address('fairtick_server'),
  chainAddress,
  chain: createPool(chainAddress, { max: 1, name: 'chain' }),
  owner: createPool(address('fairtick_owner'), { max: 1, name: 'owner' }),
  server: createPool(address('fairtick_server'), { max: 1, name: 'server' }),
  drop: async () => {},
};
const { origin, officeOrigin } = await startOffice(db, { logLevel: 'error' }, payoutsAt(provider));
console.log(`ready ${JSON.stringify({ origin, officeOrigin })}`);
