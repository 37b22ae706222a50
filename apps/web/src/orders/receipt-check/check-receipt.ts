import { type NoteVerifier, nobleVerifier, type ReceiptReport, verifyReceipt } from '@fairtick/proof';
import type { Data } from '@fairtick/protocol';
import { get } from '../../api/client.ts';
import { type KeptLog, keepLog, keptAcceptance, keptLog } from './kept.ts';

export interface CheckedReceipt {
  readonly receipt: Data<'orderReceipt'>;
  readonly report: ReceiptReport;
  /** Whether the keys are those of this device's first look, or this is it. */
  readonly keys: 'known' | 'first';
  /** Whether the acceptance could be held against the one that this device kept. */
  readonly hasKept: boolean;
}

/**
 * Fetches an order's receipt and judges it on this device. The log's keys are those that it saw first; others than those would be
 * another log under its name, and nothing signed by them passes.
 * @throws RefusedError while there is no receipt; NetworkError
 */
export async function checkReceipt(orderId: string, customerId: string): Promise<CheckedReceipt> {
  const [receipt, told] = await Promise.all([
    get('orderReceipt', { id: orderId }, { isSilent: true }),
    get('transparencyKey', {}, { isSilent: true }),
  ]);
  const before = await keptLog(told.origin);
  const log: KeptLog = before ?? {
    origin: told.origin,
    checkpointKey: told.checkpoints,
    acceptanceKey: told.acceptances,
    checkpoint: null,
  };
  const acceptanceText = await keptAcceptance(customerId, orderId);
  const verifiers = (key: string): NoteVerifier[] => {
    const verifier = nobleVerifier(key);
    return verifier ? [verifier] : [];
  };
  const report = verifyReceipt(receipt, {
    keys: { log: verifiers(log.checkpointKey), acceptances: verifiers(log.acceptanceKey), witnesses: [] },
    kept: {
      ...(acceptanceText === null ? {} : { acceptanceText }),
      ...(log.checkpoint === null ? {} : { checkpoint: log.checkpoint }),
    },
  });
  const checkpoint = report.isValid ? (report.shown?.checkpoint ?? null) : null;
  if (checkpoint && (log.checkpoint?.size ?? 0) < checkpoint.size) await keepLog({ ...log, checkpoint });
  return { receipt, report, keys: before ? 'known' : 'first', hasKept: acceptanceText !== null };
}
