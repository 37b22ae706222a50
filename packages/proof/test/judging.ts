import { expect } from 'vitest';
import { type ReceiptReport, verifyReceipt } from '../src/index.ts';
import { TRUSTED } from './story.ts';

/** The verifier's report on a receipt, after a round trip through JSON text. */
export const judge = (receipt: unknown, keys = TRUSTED): ReceiptReport =>
  verifyReceipt(JSON.parse(JSON.stringify(receipt)), { keys });

/** The fault as `step: fault`; `valid` if there is none. */
export function faultOf(receipt: unknown, keys = TRUSTED): string {
  const report = judge(receipt, keys);
  const refuted = report.steps.find(({ state }) => state === 'refuted');
  expect(report.isValid).toBe(refuted === undefined);
  return refuted ? `${refuted.id}: ${refuted.fault}` : 'valid';
}
