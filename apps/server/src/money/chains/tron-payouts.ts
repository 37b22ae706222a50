import { tronAddressOf } from '@fairtick/protocol/base58check';
import { type TronBatch, tronSigned, tronTransaction } from '@fairtick/protocol/payout-file';
import { recoverAddress } from 'viem';

/** A signature: 65 bytes, as hex. */
const SIGNATURE = 130;

/**
 * Compares a signed transaction with the approved output. It must be the same in every byte but the signature, which must be by the
 * paying address.
 * @returns null if it is; else what differs
 */
export async function tronFault(batch: TronBatch, place: number, signed: string): Promise<string | null> {
  const { raw, txid } = tronTransaction(batch, place);
  const signature = signed.slice(-SIGNATURE);
  if (!/^[0-9a-f]{130}$/.test(signature) || tronSigned(raw, signature) !== signed) return 'transaction';
  const signer = await recoverAddress({ hash: `0x${txid}`, signature: `0x${signature}` }).catch(() => null);
  return signer !== null && tronAddressOf(signer.slice(2).toLowerCase()) === batch.from ? null : 'signer';
}
