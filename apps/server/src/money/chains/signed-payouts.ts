import { type PayoutBatch, tronTransaction } from '@fairtick/protocol/payout-file';
import { bitcoinFault, bitcoinTxid, bytesOf } from './bitcoin-payouts.ts';
import { evmFault, evmTxid } from './evm-payouts.ts';
import { tronFault } from './tron-payouts.ts';

interface SignedOutput {
  readonly txid: string;
  readonly raw: string;
}

/** What a signed file has for each output of a batch, in their order; else what differs from what was approved. */
export async function readSigned(
  batch: PayoutBatch,
  signed: readonly string[],
): Promise<readonly SignedOutput[] | string> {
  if (batch.kind === 'bitcoin') {
    const [only = '', ...more] = signed;
    const raw = bytesOf(only);
    if (raw === null || more.length > 0) return 'form';
    const fault = await bitcoinFault(batch, raw);
    const txid = bitcoinTxid(raw);
    return fault ?? batch.outputs.map((_, place) => ({ txid: `${txid}:${place}`, raw }));
  }
  if (signed.length !== batch.outputs.length) return 'outputs';
  const read: SignedOutput[] = [];
  for (const [place, { nonce }] of batch.outputs.entries()) {
    const raw = signed[place] as string;
    const fault = await signedFault(batch, nonce, raw);
    if (fault !== null) return `${nonce} ${fault}`;
    read.push({ txid: batch.kind === 'tron' ? tronTransaction(batch, place).txid : evmTxid(raw), raw });
  }
  return read;
}

/** Whether stored bytes are what was approved of an output: null, or what differs. */
export async function signedFault(batch: PayoutBatch, nonce: string, raw: string): Promise<string | null> {
  if (batch.kind === 'bitcoin') return bitcoinFault(batch, raw);
  const place = batch.outputs.findIndex((one) => one.nonce === nonce);
  if (batch.kind === 'tron') return place < 0 ? 'output' : tronFault(batch, place, raw);
  const output = batch.outputs[place];
  return output === undefined ? 'output' : evmFault(batch, output, raw);
}
