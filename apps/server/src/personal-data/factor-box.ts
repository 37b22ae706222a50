import type { SecretBox } from '../identity/second-factors.ts';
import type { Binding, KeyRing } from './key-ring.ts';

export const customerFactorBinding = (customerId: string): Binding => ({
  table: 'customer_second_factors',
  record: customerId,
  customer: customerId,
});

/** Seals the secrets of customers' second factors, each for its owner. */
export function customerFactorBox(keys: KeyRing): SecretBox {
  return {
    seal: (secret, customerId) => keys.seal(Buffer.from(secret), customerFactorBinding(customerId)),
    open: (sealed, customerId) => keys.open(sealed, customerFactorBinding(customerId)).toString(),
  };
}
