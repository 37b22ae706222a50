import { leafHash, MAX_ASKED, rootOf, toHex } from '@fairtick/proof';
import type { LogDraft } from './log-draft.ts';

/** A batch of acceptances that is not logged yet. */
export interface WaitingBatch {
  readonly number: number;
  readonly acceptedAtMs: number;
  readonly root: Uint8Array;
  /** What its orders were asked by, as an `orders` entry names it, in any order. */
  readonly asked: readonly string[];
}

/**
 * Logs waiting batches that were accepted by `timeMs`: an entry's time must not precede its orders. One entry names at most
 * {@link MAX_ASKED} orders; a batch has fewer.
 * @returns the batches that still wait
 */
export function addOrders(
  draft: LogDraft,
  timeMs: number,
  batches: readonly WaitingBatch[],
): readonly WaitingBatch[] {
  const end = batches.findIndex((batch) => batch.acceptedAtMs > timeMs);
  let rest = end < 0 ? batches : batches.slice(0, end);
  while (rest.length > 0) {
    let count = 0;
    for (let named = 0; count < rest.length; count += 1) {
      named += rest[count]?.asked.length ?? 0;
      if (named > MAX_ASKED) break;
    }
    addEntry(draft, timeMs, rest.slice(0, count));
    rest = rest.slice(count);
  }
  return end < 0 ? [] : batches.slice(end);
}

function addEntry(draft: LogDraft, timeMs: number, batches: readonly WaitingBatch[]): void {
  const [first, last] = [batches[0], batches.at(-1)];
  if (!first || !last) throw new Error('a batch names more orders than an entry may');
  draft.addOrders({
    timeMs,
    firstBatch: first.number,
    lastBatch: last.number,
    firstMs: first.acceptedAtMs,
    lastMs: last.acceptedAtMs,
    root: toHex(rootOf(batches.map(({ root }) => leafHash(root)))),
    asked: [...new Set(batches.flatMap(({ asked }) => asked))].sort(),
  });
}
