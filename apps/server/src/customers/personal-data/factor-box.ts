import type { Pool } from '../../platform/db/database.ts';
import type { Binding, KeyRing } from '../../platform/sealing/key-ring.ts';
import {
  CUSTOMER_FACTORS,
  FORMER_FACTORS,
  SecondFactors,
  type SecretBox,
} from '../identity/second-factors.ts';

export const customerFactorBinding = (customerId: string): Binding => ({
  table: 'customer_second_factors',
  record: customerId,
  customer: customerId,
});

/** Seals the secrets of customers' second factors, bound to their owner. */
function customerFactorBox(keys: KeyRing): SecretBox {
  return {
    seal: (secret, customerId) => keys.seal(Buffer.from(secret), customerFactorBinding(customerId)),
    open: (sealed, customerId) => keys.open(sealed, customerFactorBinding(customerId)).toString(),
  };
}

/**
 * Customers' second factors: over the connections for requests with a session, over those for requests without, and the
 * former factors.
 */
export function customerFactors(
  { pool, publicPool }: { pool: Pool; publicPool: Pool },
  keys: KeyRing,
  origin: string,
): { factors: SecondFactors; publicFactors: SecondFactors; formerFactors: SecondFactors } {
  const box = customerFactorBox(keys);
  return {
    factors: new SecondFactors(CUSTOMER_FACTORS, pool, box, origin),
    publicFactors: new SecondFactors(CUSTOMER_FACTORS, publicPool, box, origin),
    formerFactors: new SecondFactors(FORMER_FACTORS, publicPool, box, origin),
  };
}
