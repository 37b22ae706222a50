import { type AddressFault, verifyAddress } from '@fairtick/proof';
import { get } from '../../api/client.ts';
import { isFromFork, trustedLog } from '../../orders/receipt-check/trusted-log.ts';

/** `absent`: the server has no proof of it yet; `fork`: not the log that this device has checked */
export type OwnAddressFault = AddressFault | 'absent' | 'fork';

/**
 * Checks on this device that the public log states an address as this customer's. An address that somebody swapped on the way, or on
 * the server after it was assigned, has no such proof.
 * @throws RefusedError, NetworkError
 */
export async function checkAddress(
  { address, network }: { address: string; network: string },
  customer: string,
): Promise<OwnAddressFault | null> {
  const [claims, trusted] = await Promise.all([
    get('recharge/addresses', {}, { isSilent: true }),
    trustedLog(),
  ]);
  const claim = claims.find((one) => one.network === network);
  if (!claim) return 'absent';
  const fault = verifyAddress(claim, { address, customer, keys: trusted.log });
  return fault === null && (await isFromFork(trusted, claim.logged)) ? 'fork' : fault;
}
