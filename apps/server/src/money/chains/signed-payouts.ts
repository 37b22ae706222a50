import type { PayoutBatch } from '@fairtick/protocol/payout-file';
import { bitcoinFault, bitcoinTxid, bytesOf } from './bitcoin-payouts.ts';
import { evmFault, evmTxid } from './evm-payouts.ts';

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
  for (const [place, output] of batch.outputs.entries()) {
    const raw = signed[place] as string;
    const fault = await evmFault(batch, output, raw);
    if (fault !== null) return `${output.nonce} ${fault}`;
    read.push({ txid: evmTxid(raw), raw });
  }
  return read;
}

/** Whether stored bytes are what was approved of an output: null, or what differs. */
export async function signedFault(batch: PayoutBatch, nonce: string, raw: string): Promise<string | null> {
  if (batch.kind === 'bitcoin') return bitcoinFault(batch, raw);
  const output = batch.outputs.find((one) => one.nonce === nonce);
  return output === undefined ? 'output' : evmFault(batch, output, raw);
}
