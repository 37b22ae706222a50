import { type EvmBatch, type EvmOutput, evmTransaction } from '@fairtick/protocol/payout-file';
import {
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerializableEIP1559,
  type TransactionSerializedEIP1559,
} from 'viem';

/** The compared fields of a transaction, named as staff read them. */
const PARTS = [
  'chainId',
  'nonce',
  'to',
  'value',
  'data',
  'gas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
] as const;

/**
 * Compares a signed transaction with the approved output. It must be the same in every byte, and signed by the paying address.
 * @returns null if it is; else what differs
 */
export async function evmFault(batch: EvmBatch, output: EvmOutput, raw: string): Promise<string | null> {
  const approved = evmTransaction(batch, output);
  let signed: TransactionSerializableEIP1559;
  try {
    signed = parseTransaction(raw as TransactionSerializedEIP1559);
  } catch {
    return 'form';
  }
  const { r, s, v, yParity } = signed;
  if (signed.type !== 'eip1559' || r === undefined || s === undefined) return 'form';
  const part = PARTS.find((name) => textOf(signed[name]) !== textOf(approved[name]));
  if (part !== undefined) return part;
  // Also finds what no part names, such as an access list, and a form that nodes read in another way.
  if (
    serializeTransaction(approved, { r, s, ...(v === undefined ? {} : { v }), yParity: yParity ?? 0 }) !== raw
  )
    return 'form';
  const signer = await recoverTransactionAddress({
    serializedTransaction: raw as TransactionSerializedEIP1559,
  }).catch(() => null);
  return signer?.toLowerCase() === batch.from.toLowerCase() ? null : 'signer';
}

/** The hash by which nodes know a signed transaction. */
export const evmTxid = (raw: string): string => keccak256(raw as Hex);

/** A number or a text in one form; what viem leaves out is zero or empty. */
const textOf = (value: unknown): string =>
  value === undefined || value === '0x' ? '0' : String(value).toLowerCase();
