import {
  followKey,
  httpSource,
  openNote,
  type RangedVerifier,
  type RangeScan,
  type ReceiptReport,
  rangedVerifier,
  ServerTrouble,
  scanRanges,
  verifyReceipt,
  witnessVerifier,
} from '@fairtick/proof';
import type { Data } from '@fairtick/protocol';
import { get } from '../../api/client.ts';
import { type KeptLog, keepLog, keptAcceptance, keptLog } from './kept.ts';

export interface CheckedReceipt {
  readonly receipt: Data<'orderReceipt'>;
  readonly report: ReceiptReport;
  /** Whether the keys are those of this device's first look, or this is it. */
  readonly keys: 'known' | 'first';
  /** What reading both ranges of the log found; null where they could not be read. */
  readonly scan: RangeScan | null;
  /** Who cosigned the checkpoint, of those whom the operator names: this release pins nobody. */
  readonly cosigners: readonly string[];
  /** Whether the acceptance could be held against the one that this device kept. */
  readonly hasKept: boolean;
}

/**
 * Fetches an order's receipt and judges it on this device. The log's keys are those that it saw first; others than those would be
 * another log under its name, and nothing signed by them passes.
 * @throws RefusedError while there is no receipt; NetworkError
 */
export async function checkReceipt(orderId: string, customerId: string): Promise<CheckedReceipt> {
  const [receipt, told, { witnesses }] = await Promise.all([
    get('orderReceipt', { id: orderId }, { isSilent: true }),
    get('transparencyKey', {}, { isSilent: true }),
    get('transparencyWitnesses', {}, { isSilent: true }),
  ]);
  const before = await keptLog(told.origin);
  const log: KeptLog = before ?? {
    origin: told.origin,
    checkpointKey: firstKey(told.checkpoints, told.rotations),
    acceptanceKey: firstKey(told.acceptances, told.rotations),
    checkpoint: null,
  };
  const acceptanceText = await keptAcceptance(customerId, orderId);
  // A new key counts where the one before it handed over in the log; none does where a hand-over is not what it ought to be.
  const verifiers = (key: string): RangedVerifier[] =>
    (followKey({ key, from: 0 }, told.rotations) ?? []).flatMap((range) => rangedVerifier(range) ?? []);
  const report = verifyReceipt(receipt, {
    keys: { log: verifiers(log.checkpointKey), acceptances: verifiers(log.acceptanceKey), witnesses: [] },
    kept: {
      ...(acceptanceText === null ? {} : { acceptanceText }),
      ...(log.checkpoint === null ? {} : { checkpoint: log.checkpoint }),
    },
  });
  const checkpoint = report.isValid ? (report.shown?.checkpoint ?? null) : null;
  if (checkpoint && (log.checkpoint?.size ?? 0) < checkpoint.size) await keepLog({ ...log, checkpoint });
  const scan = report.isValid && report.shown ? await scanLog(receipt, report.shown) : null;
  const named = witnesses.flatMap(({ key }) => witnessVerifier(key) ?? []);
  const cosigners = openNote(receipt.checkpoint, named)?.verified.map(({ name }) => name) ?? [];
  return {
    receipt,
    report,
    scan,
    cosigners,
    keys: before ? 'known' : 'first',
    hasKept: acceptanceText !== null,
  };
}

type Told = Data<'transparencyKey'>['rotations'];

/** The key that the log began with: on a device's first look it trusts what it is told, and from then on what followed. */
function firstKey(key: string, rotations: Told): string {
  const name = key.slice(0, key.indexOf('+') + 1);
  return rotations.find(({ oldKey }) => oldKey.startsWith(name))?.oldKey ?? key;
}

/** Reads the log around opening and settlement. Without an answer nothing is known, neither way. */
async function scanLog(
  receipt: Data<'orderReceipt'>,
  { terms, checkpoint }: NonNullable<ReceiptReport['shown']>,
): Promise<RangeScan | null> {
  if (!checkpoint) return null;
  try {
    return await scanRanges(receipt, { symbol: terms.symbol, checkpoint }, httpSource(location.origin));
  } catch (error) {
    if (error instanceof ServerTrouble) return null;
    throw error;
  }
}
