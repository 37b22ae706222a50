import { type BitcoinBatch, bitcoinTransaction } from '@fairtick/protocol/payout-file';
import { base64, hex } from '@scure/base';
import { Address, NETWORK, OutScript, p2wpkh, SigHash, Transaction } from '@scure/btc-signer';
import { type Hex, recoverPublicKey } from 'viem';

/** Of a transaction with as many inputs and outputs, in virtual bytes, at most: of one key each, and of any form. */
const BASE_SIZE = 11;
const INPUT_SIZE = 68;
const OUTPUT_SIZE = 43;
export const sizeOf = (inputs: number, outputs: number): number =>
  BASE_SIZE + INPUT_SIZE * inputs + OUTPUT_SIZE * (outputs + 1);

/** Nodes pass on no smaller output. */
export const LEAST_OUTPUT = 546n;

/** The bytes that a signed file has: as they are, or in a PSBT that has all signatures. Null: neither. */
export function bytesOf(signed: string): string | null {
  try {
    if (!signed.startsWith('cHNidP')) return Transaction.fromRaw(hex.decode(signed)).hex;
    const transaction = Transaction.fromPSBT(base64.decode(signed));
    transaction.finalize();
    return transaction.hex;
  } catch {
    return null;
  }
}

export const psbtOf = (batch: BitcoinBatch): string => base64.encode(bitcoinTransaction(batch).toPSBT());
export const bitcoinTxid = (raw: string): string => Transaction.fromRaw(hex.decode(raw)).id;

/**
 * Compares a signed transaction with the approved batch. It must be the same in every byte but the signatures, which must be by the
 * paying address and of all of it.
 * @returns null if it is; else what differs
 */
export async function bitcoinFault(batch: BitcoinBatch, raw: string): Promise<string | null> {
  const approved = bitcoinTransaction(batch);
  let signed: Transaction;
  try {
    signed = Transaction.fromRaw(hex.decode(raw));
  } catch {
    return 'form';
  }
  if (signed.hex !== raw) return 'form';
  if (hex.encode(signed.toBytes(true, false)) !== hex.encode(approved.unsignedTx))
    return partOf(signed, approved);
  for (const [place, { value }] of batch.inputs.entries())
    if (!(await isSigned(signed, place, { batch, amount: BigInt(value) }))) return 'signer';
  return null;
}

/** The name of the first part in which two transactions differ, for staff. */
function partOf(signed: Transaction, approved: Transaction): string {
  const inputs = (one: Transaction) =>
    Array.from({ length: one.inputsLength }, (_, place) => {
      const { txid, index, sequence } = one.getInput(place);
      return `${txid && hex.encode(txid)}:${index}:${sequence}`;
    }).join();
  const outputs = (one: Transaction) =>
    Array.from({ length: one.outputsLength }, (_, place) => {
      const { amount, script } = one.getOutput(place);
      return `${script && hex.encode(script)}:${amount}`;
    }).join();
  if (inputs(signed) !== inputs(approved)) return 'inputs';
  return outputs(signed) === outputs(approved) ? 'form' : 'outputs';
}

async function isSigned(
  signed: Transaction,
  place: number,
  { batch, amount }: { batch: BitcoinBatch; amount: bigint },
): Promise<boolean> {
  const [signature, key, ...more] = signed.getInput(place).finalScriptWitness ?? [];
  if (signature === undefined || key === undefined || more.length > 0 || signature.at(-1) !== SigHash.ALL)
    return false;
  const network = batch.net === 'regtest' ? { ...NETWORK, bech32: 'bcrt' } : NETWORK;
  const owner = Address(network).decode(batch.change);
  try {
    if (owner.type !== 'wpkh' || p2wpkh(key, network).address !== batch.change) return false;
    const script = OutScript.encode({ type: 'pkh', hash: owner.hash });
    const digest = `0x${hex.encode(signed.preimageWitnessV0(place, script, SigHash.ALL, amount))}` as const;
    for (const yParity of [0, 1]) {
      const found = await recoverPublicKey({ hash: digest, signature: { ...numbersOf(signature), yParity } });
      // Compressed: the sign of its second half, and its first half.
      const sign = Number.parseInt(found.slice(-1), 16) % 2 === 0 ? '02' : '03';
      if (`${sign}${found.slice(4, 68)}` === hex.encode(key)) return true;
    }
    return false;
  } catch {
    return false;
  }
}

/** The numbers of a signature in DER's form: each with its length before it. */
function numbersOf(signature: Uint8Array): { r: Hex; s: Hex } {
  const length = signature[3] ?? 0;
  const word = (from: number, to: number): Hex =>
    `0x${hex.encode(signature.slice(from, to)).replace(/^00/, '').padStart(64, '0')}`;
  return { r: word(4, 4 + length), s: word(6 + length, signature.length - 1) };
}
