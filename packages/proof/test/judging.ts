import { expect } from 'vitest';
import { type ReceiptReport, verifyReceipt } from '../src/index.ts';
import { TRUSTED } from './story.ts';

/** What the verifier says of a receipt as it stands in a file. */
export const judge = (receipt: unknown, keys = TRUSTED): ReceiptReport =>
  verifyReceipt(JSON.parse(JSON.stringify(receipt)), { keys });

/** What is wrong, as `step: fault`; `valid` where nothing is. */
export function faultOf(receipt: unknown, keys = TRUSTED): string {
  const report = judge(receipt, keys);
  const refuted = report.steps.find(({ state }) => state === 'refuted');
  expect(report.isValid).toBe(refuted === undefined);
  return refuted ? `${refuted.id}: ${refuted.fault}` : 'valid';
}
