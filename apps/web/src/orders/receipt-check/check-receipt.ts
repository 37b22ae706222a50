import {
  contradictionOf,
  handOversIn,
  httpSource,
  type RangeScan,
  type ReceiptReport,
  ServerTrouble,
  scanRanges,
  verifyReceipt,
  witnessVerifier,
} from '@fairtick/proof';
import type { Data } from '@fairtick/protocol';
import { isProved, type Verified, verifyByFirstKeys } from '@fairtick/ui/receipt';
import { get } from '../../api/client.ts';
import type { ContradictionKind } from './evidence-model.ts';
import { isSound } from './held-evidence.ts';
import { type HeldOrder, heldOrder, isHeldAsAsked } from './kept.ts';
import { isSameLog, keepProved, trustedLog } from './trusted-log.ts';

export { isProved };

export interface Example {
  readonly receipt: Data<'orderReceipt'>;
  readonly keys: { readonly log: string; readonly acceptances: string };
}

export interface CheckedReceipt extends Verified {
  /** By this device's clock. */
  readonly checkedAtMs: number;
  /**
   * `known`: the keys that this device saw first; `first`: this is the first look, so the keys were taken as given; `example`: those
   * published with an example.
   */
  readonly keys: 'known' | 'first' | 'example';
  /**
   * Names of the witnesses that cosigned the checkpoint within 5 s of its time. The operator names the witnesses; this release pins
   * none.
   */
  readonly cosigners: readonly string[];
  /** Names of those that had cosigned the order's place in the log before the order opened. */
  readonly cosignedBefore: readonly string[];
  /** What this device holds of the order, which the receipt was compared with; null for an order of another device. */
  readonly held: HeldOrder | null;
  /** How the receipt, valid by itself, contradicts it, and whether what is held is valid too; null: no contradiction. */
  readonly contradiction: { readonly kind: ContradictionKind; readonly isSound: boolean } | null;
}

/**
 * Fetches an order's receipt and verifies it on this device, against the log's keys that this device saw first. Signatures by
 * other keys fail: they would belong to another log under the same name.
 * @throws RefusedError while there is no receipt; NetworkError
 */
export async function checkReceipt(orderId: string, customerId: string): Promise<CheckedReceipt> {
  const receipt = await get('order/receipt', { id: orderId }, { isSilent: true });
  return checkGiven(receipt, await heldOrder(customerId, orderId));
}

/**
 * Verifies a receipt of this server's log, as {@link checkReceipt} does.
 * @param held what this device holds of the order; null for an order of another device
 * @throws RefusedError, NetworkError
 */
export async function checkGiven(
  receipt: Data<'orderReceipt'>,
  held: HeldOrder | null,
): Promise<CheckedReceipt> {
  const [trusted, { witnesses }] = await Promise.all([
    trustedLog(),
    get('transparency/witnesses', {}, { isSilent: true }),
  ]);
  const before = trusted.kept.checkpoint;
  const logged = held?.logged?.fault === null ? held.logged.answer : undefined;
  const keys = { log: trusted.log, acceptances: trusted.acceptances, witnesses: [] };
  const seen = before === null ? {} : { checkpoint: before };
  const evidence = held && {
    acceptanceText: held.acceptance.text,
    ...(logged ? { logged } : {}),
  };
  const nonce = held?.asked ? { nonce: held.asked.nonce } : {};
  const report = verifyReceipt(receipt, { keys, kept: { ...evidence, ...nonce, ...seen } });
  const kind = evidence && (contradictionOf(evidence, receipt) ?? (isHeldAsAsked(held) ? null : 'asked'));
  const contradicts = kind !== null && verifyReceipt(receipt, { keys, kept: seen }).isValid;
  const checkpoint = report.isValid ? (report.shown?.checkpoint ?? null) : null;
  const isSame = checkpoint && (await isSameLog(trusted, checkpoint));
  const scan = report.isValid && report.shown && isSame ? await scanLog(receipt, report.shown) : null;
  // Only a state that was checked against everything seen before is kept.
  if (checkpoint && isSame) await keepProved(trusted, checkpoint, handOversIn(receipt));
  const named = witnesses.flatMap(({ key }) => witnessVerifier(key) ?? []);
  const { shown } = verifyReceipt(receipt, { keys: { ...keys, witnesses: named } });
  return {
    receipt,
    report,
    checkedAtMs: Date.now(),
    scan,
    cosigners: shown?.witnesses ?? [],
    cosignedBefore: shown?.witnessedBefore ?? [],
    isSame: isSame ?? null,
    keys: trusted.isFirst ? 'first' : 'known',
    held,
    contradiction: held && contradicts ? { kind, isSound: isSound(held, trusted) } : null,
  };
}

/** Verifies an example by the keys published with it. Its log is on no server, so it is not read. */
export function checkExample({ receipt, keys }: Example): CheckedReceipt {
  const nothing = { cosigners: [], cosignedBefore: [], held: null, contradiction: null };
  return {
    ...verifyByFirstKeys(receipt, keys),
    checkedAtMs: Date.now(),
    keys: 'example',
    ...nothing,
  };
}

/** Reads the log around opening and settlement. Returns null without an answer, which neither proves nor disproves anything. */
async function scanLog(
  receipt: Data<'orderReceipt'>,
  { checkpoint }: NonNullable<ReceiptReport['shown']>,
): Promise<RangeScan | null> {
  if (!checkpoint) return null;
  try {
    return await scanRanges(receipt, { checkpoint }, httpSource(location.origin));
  } catch (error) {
    if (error instanceof ServerTrouble) return null;
    throw error;
  }
}
