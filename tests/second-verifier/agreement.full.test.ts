import { readFileSync } from 'node:fs';
import { sample, sized } from '@fairtick/kit/size.ts';
import {
  type NoteVerifier,
  nobleVerifier,
  parseReceipt,
  verifyReceipt,
  witnessVerifier,
} from '@fairtick/proof';
import { expect, test } from 'vitest';
import { CORNERS } from './frauds/corners.ts';
import { commit } from './frauds/fraud.ts';
import { FRAUDS } from './frauds/frauds.ts';
import { harmless, mutationsOf } from './frauds/mutations.ts';
import { KEYS, VERIFIER_KEYS } from './house.ts';
import { readKey, readWitness } from './reading.ts';
import { Witness } from './signing.ts';
import { END } from './story.ts';
import { verify } from './verify.ts';

/**
 * The published verifier judges the second one's whole corpus: it must accept and refuse the same. If they differ, one of them or
 * the format's documentation is wrong.
 */
const FILE = new URL('../../docs/receipt-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(FILE, 'utf8'));
const keys = {
  log: [nobleVerifier(vectors.keys.log) as NoteVerifier],
  acceptances: [nobleVerifier(vectors.keys.acceptances) as NoteVerifier],
  witnesses: [],
};
/** `npm test` judges one mutation in this many, `test:full` all. */
const EVERY = sized(8, 1);
const takes = (text: string): boolean => verifyReceipt(parseReceipt(text), { keys }).isValid;
/** The check that refuses it, or `valid`. */
const checkBy = (text: string, trusted: typeof keys): string => {
  const { steps, isValid } = verifyReceipt(parseReceipt(text), { keys: trusted });
  return isValid ? 'valid' : (steps.find(({ state }) => state === 'refuted')?.id ?? 'none');
};

test.each(
  sample(
    [
      'won',
      'won, by its close',
      'won, no price of its settlement time',
      'void, too few sources at the opening',
      'void, logged too late',
    ],
    2,
  ),
)('packages/proof refuses what the second verifier refuses: %s', { timeout: 180_000 }, (of) => {
  const { receipt } = vectors.receipts[of];
  const taken: string[] = [];
  let count = 0;
  for (const { name, text } of mutationsOf(receipt, [vectors.receipts.lost.receipt])) {
    count += 1;
    if (count % EVERY !== 0) continue;
    if (takes(text)) taken.push(name);
  }
  expect(taken).toEqual([]);
  expect(count).toBeGreaterThan(2000);
});

test.each(Object.keys(vectors.receipts))(
  'packages/proof accepts every spelling that the format leaves open: %s',
  (of) => {
    const refused = [...harmless(vectors.receipts[of].receipt)].filter(({ text }) => !takes(text));
    expect(refused.map(({ name }) => name)).toEqual([]);
  },
);

const house = {
  log: [nobleVerifier(VERIFIER_KEYS.log) as NoteVerifier],
  acceptances: [nobleVerifier(VERIFIER_KEYS.acceptances) as NoteVerifier],
  witnesses: [],
};
test.each(Object.entries(FRAUDS))(
  'packages/proof refuses a dishonest house by the check of %s',
  (check, frauds) => {
    const refused = Object.entries(frauds).map(([name, fraud]) => [name, checkBy(commit(fraud), house)]);
    expect(refused).toEqual(Object.keys(frauds).map((name) => [name, check]));
  },
);

test.each(
  Object.entries(CORNERS).flatMap(([kind, corners]) =>
    Object.entries(corners).map(([name, [text, expected]]) => [kind, name, text, expected] as const),
  ),
)('both judge by the words of the page: %s, %s', (_kind, _name, text, expected) => {
  const second = verify(text, KEYS);
  expect([second.valid ? 'valid' : second.refusedBy, checkBy(text, house)]).toEqual([expected, expected]);
});

test('both look at the first line of a witness alone, and count a name once', () => {
  const [one, other] = [new Witness('witness.example'), new Witness('other.example')];
  const receipt = JSON.parse(commit({}));
  const seconds = END / 1_000;
  const counted = (...times: readonly number[]): number[] => {
    const checkpoint = times.reduce((note, time) => one.cosigned(note, Math.floor(time)), receipt.checkpoint);
    const text = JSON.stringify({ ...receipt, checkpoint: other.cosigned(checkpoint, Math.floor(seconds)) });
    const pinned = [one, other].map(({ verifierKey }) => verifierKey);
    const second = verify(text, { ...KEYS, witnesses: pinned.map(readWitness) });
    const witnesses = pinned.map((key) => witnessVerifier(key) as NoteVerifier);
    const { shown } = verifyReceipt(parseReceipt(text), { keys: { ...house, witnesses } });
    return [second.valid ? second.witnesses : -1, shown?.witnesses.length ?? -1];
  };
  expect(counted(seconds)).toEqual([2, 2]);
  expect(counted(seconds, seconds - 60)).toEqual([2, 2]);
  expect(counted(seconds - 60, seconds)).toEqual([1, 1]);
});

test('both refuse a nonce that the acceptance does not name, before the keys', () => {
  for (const { of, nonce, agrees } of vectors.asked) {
    const text = JSON.stringify(vectors.receipts[of].receipt);
    for (const trusted of [vectors.keys, { ...vectors.keys, log: VERIFIER_KEYS.log }]) {
      const second = verify(
        text,
        { log: readKey(trusted.log), acceptances: readKey(trusted.acceptances) },
        nonce,
      );
      const own = { ...keys, log: [nobleVerifier(trusted.log) as NoteVerifier] };
      const first = verifyReceipt(parseReceipt(text), { keys: own, kept: { nonce } });
      const refusedBy = first.steps.find(({ state }) => state === 'refuted')?.id;
      expect(second.valid ? undefined : second.refusedBy).toBe(refusedBy);
      expect(refusedBy === 'kept').toBe(!agrees);
    }
  }
});
