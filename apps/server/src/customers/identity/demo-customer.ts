import type { Assets } from '../../platform/assets.ts';
import { failureOf, type Pool, transaction } from '../../platform/db/database.ts';
import type { Passwords } from './passwords.ts';
import { insertCustomer, openFunds } from './registration.ts';

/** The demo's customer, printed at the start of the server. */
export const DEMO_CUSTOMER = { account: 'demo_user', password: 'Demo-1234' } as const;

/** Creates the demo's customer at the first start. */
export async function seedDemoCustomer(parts: {
  pool: Pool;
  assets: Assets;
  passwords: Passwords;
}): Promise<void> {
  const { rows } = await parts.pool.query('select 1 from customers where account = $1', [
    DEMO_CUSTOMER.account,
  ]);
  if (rows.length > 0) return;
  const passwordHash = await parts.passwords.hash(DEMO_CUSTOMER.password);
  try {
    await transaction(parts.pool, async (client) => {
      const form = { ...DEMO_CUSTOMER, country: null, acceptsRisk: true, language: 'zh' as const };
      const customerId = await insertCustomer(client, form, passwordHash);
      await openFunds(client, parts.assets, customerId);
    });
  } catch (error) {
    // Another process has created it first.
    if (failureOf(error) !== '23505') throw error;
  }
}
