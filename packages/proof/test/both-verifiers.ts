/** A receipt given to both verifiers: this package's, and a second one written only from the published specification. */
import { expect } from 'vitest';
import { readKey } from '../../../tests/second-verifier/reading.ts';
import { verify } from '../../../tests/second-verifier/verify.ts';
import { parseReceipt, verifyReceipt } from '../src/index.ts';
import { ACCEPTANCES_KEY, LOG_KEY, TRUSTED } from './story.ts';

export const SECOND = {
  log: readKey(LOG_KEY.verifierKey),
  acceptances: readKey(ACCEPTANCES_KEY.verifierKey),
};

/** The judgement of both verifiers; a string is taken as the file's text. */
function judgement(receipt: unknown): string {
  const text = typeof receipt === 'string' ? receipt : JSON.stringify(receipt);
  const report = verifyReceipt(parseReceipt(text), { keys: TRUSTED });
  const second = verify(text, SECOND);
  const first = report.isValid ? 'valid' : (report.steps.find(({ state }) => state === 'refuted')?.id ?? '');
  return `${first} ${second.valid ? 'valid' : second.refusedBy}`;
}

/** Both verifiers refuse it, at the given step. */
export const refused = (receipt: unknown, step: string): void =>
  expect(judgement(receipt)).toBe(`${step} ${step}`);
export const valid = (receipt: unknown): void => expect(judgement(receipt)).toBe('valid valid');
