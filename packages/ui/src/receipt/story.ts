import type { ReceiptStepId } from '@fairtick/proof';
import type { Verified } from './receipt-text.ts';

/** A check with a result: a step of the verifier, the comparison with the log of before, or the reading of the log. */
export type CheckId = ReceiptStepId | 'sameLog' | 'scan';

/** The parts of an order's life, each with the checks that prove it. */
const PARTS = {
  accepted: ['form', 'kept', 'keys', 'acceptance', 'rules'],
  logged: ['checkpoint', 'entries', 'consistency', 'seen', 'logged', 'held', 'sameLog', 'scan'],
  opened: ['opening'],
  settled: ['settlement'],
  paid: ['prices', 'updates', 'outcome'],
} as const satisfies Record<string, readonly CheckId[]>;
export type PartId = keyof typeof PARTS;

export interface Part {
  readonly id: PartId;
  /** The check that refutes this part; null if all of its checks hold. */
  readonly refutedBy: CheckId | null;
}

/** The checks, part by part. A part is left out if nothing of it was checked, because an earlier part is refuted. */
export function storyOf({ report, isSame, scan }: Omit<Verified, 'receipt'>): Part[] {
  const results = new Map<CheckId, boolean>(
    report.steps.flatMap(({ id, state }) =>
      state === 'proved' || state === 'refuted' ? [[id, state === 'proved'] as const] : [],
    ),
  );
  if (isSame !== null) results.set('sameLog', isSame);
  if (scan) results.set('scan', scan.fault === null);
  return Object.entries(PARTS).flatMap(([id, checks]) => {
    const run = checks.filter((check) => results.has(check));
    if (run.length === 0) return [];
    return { id: id as PartId, refutedBy: run.find((check) => !results.get(check)) ?? null };
  });
}
