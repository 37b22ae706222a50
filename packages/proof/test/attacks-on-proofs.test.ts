/** False receipts made to pass, by an operator who holds the keys: proofs, signatures and names. */
import { describe, expect, test } from 'vitest';
import { readKey } from '../../../tests/second-verifier/reading.ts';
import { verify } from '../../../tests/second-verifier/verify.ts';
import {
  formatCheckpoint,
  generateNoteKey,
  leafHash,
  type NoteSigner,
  type NoteVerifier,
  nobleSigner,
  nobleVerifier,
  parseReceipt,
  rootOf,
  signNote,
  timeExtension,
  toHex,
  verifyReceipt,
} from '../src/index.ts';
import { refused, SECOND, valid } from './both-verifiers.ts';
import {
  ACCEPTANCES_KEY,
  LOG_KEY,
  ORIGIN,
  receiptOf,
  SIGNED_MS,
  STRANGERS_KEY,
  story,
  TRUSTED,
} from './story.ts';

const won = story('won');

describe('trees and proofs', () => {
  test('a batch of one needs an empty proof, and a seen empty log the empty root', () => {
    const alone = receiptOf({ ...won, neighbours: 0 });
    valid(alone);
    const spare = toHex(leafHash('spare'));
    refused({ ...alone, acceptance: { ...alone.acceptance, proof: [spare] } }, 'acceptance');
    refused({ ...alone, batch: { ...alone.batch, proof: [spare] } }, 'logged');
    const empty = { seenSize: 0, seenRoot: toHex(rootOf([])) };
    valid(receiptOf({ ...won, terms: empty }));
    refused(receiptOf({ ...won, terms: { ...empty, seenRoot: '00'.repeat(32) } }), 'seen');
  });

  test('an empty batch and an empty log are refused', () => {
    const sign = (key: string) => nobleSigner(key) as NoteSigner;
    const nothing = (origin: string, extensions: string[] = []) =>
      formatCheckpoint({ origin, size: 0, root: rootOf([]), extensions });
    const base = receiptOf(won);
    const signed = signNote(nothing(`${ORIGIN}/acceptances`), sign(ACCEPTANCES_KEY.signerKey));
    refused(
      { ...base, acceptance: { ...base.acceptance, index: 0, size: 0, proof: [], signed } },
      'acceptance',
    );
    refused(
      { ...base, checkpoint: signNote(nothing(ORIGIN, [timeExtension(SIGNED_MS)]), sign(LOG_KEY.signerKey)) },
      'entries',
    );
  });

  test('an extra node at either end of a proof is refused', () => {
    const base = receiptOf(won);
    const spare = toHex(leafHash('spare'));
    for (const more of [
      (proof: readonly string[]) => [...proof, spare],
      (proof: readonly string[]) => [spare, ...proof],
    ]) {
      const { acceptance, entries, consistency, seen } = base;
      refused({ ...base, acceptance: { ...acceptance, proof: more(acceptance.proof) } }, 'acceptance');
      refused({ ...base, entries: entries.map((each) => ({ ...each, proof: more(each.proof) })) }, 'entries');
      refused({ ...base, consistency: { ...consistency, proof: more(consistency.proof) } }, 'consistency');
      refused({ ...base, seen: { ...seen, proof: more(seen?.proof ?? []) } }, 'seen');
      refused({ ...base, batch: { ...base.batch, proof: more(base.batch.proof) } }, 'logged');
    }
  });
});

describe('signatures and names', () => {
  const key = (name: string) => generateNoteKey(name, new Uint8Array(32).fill(9));
  const note = (text: string, ...keys: readonly string[]) =>
    signNote(text, ...(keys.map((each) => nobleSigner(each)) as [NoteSigner]));

  test('a checkpoint signed by another key, or under another name, is refused', () => {
    refused(receiptOf({ ...won, checkpointKey: STRANGERS_KEY.signerKey }), 'checkpoint');
    const base = receiptOf(won);
    const text = base.checkpoint.slice(0, base.checkpoint.indexOf('\n\n') + 1);
    const renamed = text.replace(ORIGIN, 'example.com/api/elsewhere');
    refused({ ...base, checkpoint: note(renamed, LOG_KEY.signerKey) }, 'checkpoint');
    // A stranger's signature line proves nothing and does no harm.
    valid({ ...base, checkpoint: note(text, STRANGERS_KEY.signerKey, LOG_KEY.signerKey) });
    refused({ ...base, checkpoint: note(text, STRANGERS_KEY.signerKey) }, 'checkpoint');
    const many = Array.from({ length: 17 }, () => LOG_KEY.signerKey);
    expect(() => note(text, ...many)).toThrow(RangeError);
    const line = base.checkpoint.slice(base.checkpoint.indexOf('\n\n') + 2);
    refused({ ...base, checkpoint: base.checkpoint + line.repeat(16) }, 'checkpoint');
    valid({ ...base, checkpoint: base.checkpoint + line.repeat(15) });
  });

  test('a checkpoint has its time and no other extension, and a batch of acceptances has none', () => {
    for (const extensions of [
      [],
      ['time 1', 'time 2'],
      [timeExtension(SIGNED_MS), 'more'],
      ['more', timeExtension(SIGNED_MS)],
      [`time 0${SIGNED_MS}`],
      ['time -1'],
      [`time ${SIGNED_MS} `],
    ])
      refused(receiptOf({ ...won, extensions }), 'checkpoint');
    const base = receiptOf(won);
    const text = base.acceptance.signed.slice(0, base.acceptance.signed.indexOf('\n\n') + 1);
    const signed = note(`${text}time 5\n`, ACCEPTANCES_KEY.signerKey);
    refused({ ...base, acceptance: { ...base.acceptance, signed } }, 'checkpoint');
    const end = base.checkpoint.slice(0, base.checkpoint.indexOf('\n\n') + 1);
    refused({ ...base, checkpoint: note(`${end}\nafter an empty one\n`, LOG_KEY.signerKey) }, 'checkpoint');
  });

  test('an acceptance of another log is refused, even if its key is trusted as well', () => {
    const other = key('other.example/api/transparency/acceptances');
    const base = receiptOf(won);
    const signed = note(
      base.acceptance.signed
        .slice(0, base.acceptance.signed.indexOf('\n\n') + 1)
        .replace(ORIGIN, 'other.example/api/transparency'),
      other.signerKey,
    );
    const receipt = { ...base, acceptance: { ...base.acceptance, signed } };
    refused(receipt, 'acceptance');
    const acceptances = [nobleVerifier(other.verifierKey) as NoteVerifier];
    const text = JSON.stringify(receipt);
    const report = verifyReceipt(parseReceipt(text), { keys: { ...TRUSTED, acceptances } });
    expect(report.steps.find(({ state }) => state === 'refuted')?.id).toBe('checkpoint');
    expect(verify(text, { ...SECOND, acceptances: readKey(other.verifierKey) })).toMatchObject({
      valid: false,
      refusedBy: 'checkpoint',
    });
  });
});
