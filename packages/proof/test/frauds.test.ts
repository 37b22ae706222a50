/** The frauds that a receipt can reveal, each signed with the operator's own keys. */
import { describe, expect, test } from 'vitest';
import {
  generateNoteKey,
  leafHash,
  type NoteVerifier,
  nobleVerifier,
  rootOf,
  signNote,
  splitNoteText,
  toHex,
  verifyReceipt,
} from '../src/index.ts';
import { faultOf, judge } from './judging.ts';
import { CLOSE_TO_FRAUD, SIGNED_FRAUDS } from './signed-frauds.ts';
import {
  AT,
  agreed,
  ORIGIN,
  receiptOf,
  rules,
  STRANGERS_KEY,
  signer,
  story,
  TRUSTED,
  withEntries,
} from './story.ts';

const won = story('won');
const lost = story('lost');

describe('frauds that the operator signs with its own keys', () => {
  test.each(Object.entries(SIGNED_FRAUDS))('the fraud is refused: %s', (_name, { told, fault }) => {
    expect(faultOf(receiptOf(told))).toBe(fault);
  });

  test.each(Object.entries(CLOSE_TO_FRAUD))('a receipt is valid if it is %s', (_name, told) => {
    expect(faultOf(receiptOf(told))).toBe('valid');
  });

  test('a tick changed after the order was accepted is refused', () => {
    const receipt = receiptOf(won);
    const changed = receiptOf({
      ...withEntries(won, { 2: agreed(40, AT.before - 250, '1.08391') }),
      terms: { logRoot: receipt.consistency.fromRoot, seenRoot: receipt.seen?.fromRoot ?? '' },
    });
    expect(faultOf(changed)).toBe(
      'consistency: the log of the acceptance is not the beginning of the log of the checkpoint',
    );
  });

  test('a log changed since this device saw its signature is refused', () => {
    const kept = judge(receiptOf(won)).shown?.checkpoint ?? undefined;
    const changed = receiptOf(withEntries(won, { 9: agreed(43, AT.settles - 250, '1.08430') }));
    const report = verifyReceipt(changed, { keys: TRUSTED, ...(kept ? { kept: { checkpoint: kept } } : {}) });
    expect(report.steps.find(({ state }) => state === 'refuted')?.fault).toBe(
      'this device has seen another log of this size',
    );
  });

  test('a fork shown to one customer is refused', () => {
    const other = won.log.slice(0, 3).map((text) => leafHash(`${text} `));
    const receipt = receiptOf({ ...won, terms: { seenRoot: toHex(rootOf(other)) } });
    expect(faultOf(receipt)).toBe('seen: the customer had seen another log than the acceptance names');
  });

  test('rules of another product, and a payout one smallest unit too small, are refused', () => {
    const another = rules(1, 1_779_990_000_000, '0'.repeat(64), { symbol: 'GBP/USD' });
    expect(faultOf(receiptOf(withEntries(won, { 0: another })))).toBe(
      'rules: the rules at 0 are of another product',
    );
    expect(faultOf(receiptOf({ ...won, outcome: { ...won.outcome, payout: '180.000000' } }))).toMatch(
      /^outcome:/,
    );
  });

  test('a held checkpoint of a log of another name is refused, even if its key is trusted as well', () => {
    const receipt = receiptOf(won);
    const other = generateNoteKey('other.example/log', new Uint8Array(32).fill(9));
    const text = (splitNoteText(receipt.held.checkpoint) ?? '').replace(ORIGIN, 'other.example/log');
    const held = { ...receipt.held, checkpoint: signNote(text, signer(other.signerKey)) };
    const keys = { ...TRUSTED, log: [...TRUSTED.log, nobleVerifier(other.verifierKey) as NoteVerifier] };
    expect(faultOf(receipt, keys)).toBe('valid');
    expect(faultOf({ ...receipt, held }, keys)).toBe('held: the log soon after the order is another one');
  });

  test('an acceptance other than the kept one is refused', () => {
    const kept = { acceptanceText: receiptOf(lost).acceptance.text.replace('\nup\n', '\ndown\n') };
    const report = verifyReceipt(receiptOf(lost), { keys: TRUSTED, kept });
    expect(report.steps.find(({ state }) => state === 'refuted')?.id).toBe('kept');
  });

  test('keys of a stranger, and one key for both roles, are refused', () => {
    const strange = { ...won, checkpointKey: STRANGERS_KEY.signerKey };
    expect(faultOf(receiptOf(strange))).toBe(
      'checkpoint: the checkpoint is not signed by a key that is trusted',
    );
    expect(faultOf(receiptOf({ ...won, acceptancesKey: STRANGERS_KEY.signerKey }))).toBe(
      'acceptance: the batch of acceptances is not signed by a key that is trusted',
    );
    expect(faultOf(receiptOf(won), { ...TRUSTED, log: TRUSTED.acceptances })).toMatch(/^checkpoint:/);
    expect(faultOf(receiptOf(won), { ...TRUSTED, acceptances: TRUSTED.log })).toMatch(/^acceptance:/);
  });
});
