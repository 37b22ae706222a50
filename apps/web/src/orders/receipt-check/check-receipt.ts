import {
  handOversIn,
  httpSource,
  openNote,
  type RangeScan,
  type ReceiptReport,
  ServerTrouble,
  scanRanges,
  verifyReceipt,
  witnessVerifier,
} from '@fairtick/proof';
import type { Data } from '@fairtick/protocol';
import { get } from '../../api/client.ts';
import { keptAcceptance } from './kept.ts';
import { isSameLog, keepProved, trustedLog } from './trusted-log.ts';

export interface CheckedReceipt {
  readonly receipt: Data<'orderReceipt'>;
  readonly report: ReceiptReport;
  /** Whether the keys are those of this device's first look, or this is it. */
  readonly keys: 'known' | 'first';
  /** What reading both ranges of the log found; null where they could not be read. */
  readonly scan: RangeScan | null;
  /** Whether the log is the one that this device checked last; null: not found out. */
  readonly isSame: boolean | null;
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
  const [receipt, trusted, { witnesses }] = await Promise.all([
    get('orderReceipt', { id: orderId }, { isSilent: true }),
    trustedLog(),
    get('transparencyWitnesses', {}, { isSilent: true }),
  ]);
  const before = trusted.kept.checkpoint;
  const acceptanceText = await keptAcceptance(customerId, orderId);
  const report = verifyReceipt(receipt, {
    keys: { log: trusted.log, acceptances: trusted.acceptances, witnesses: [] },
    kept: {
      ...(acceptanceText === null ? {} : { acceptanceText }),
      ...(before === null ? {} : { checkpoint: before }),
    },
  });
  const checkpoint = report.isValid ? (report.shown?.checkpoint ?? null) : null;
  const isSame = checkpoint && (await isSameLog(trusted, checkpoint));
  const scan = report.isValid && report.shown && isSame ? await scanLog(receipt, report.shown) : null;
  // What this device goes on from is only what it could hold against all that it had seen before.
  if (checkpoint && isSame) await keepProved(trusted, checkpoint, handOversIn(receipt));
  const named = witnesses.flatMap(({ key }) => witnessVerifier(key) ?? []);
  const cosigners = openNote(receipt.checkpoint, named)?.verified.map(({ name }) => name) ?? [];
  return {
    receipt,
    report,
    scan,
    cosigners,
    isSame: isSame ?? null,
    keys: trusted.isFirst ? 'first' : 'known',
    hasKept: acceptanceText !== null,
  };
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
