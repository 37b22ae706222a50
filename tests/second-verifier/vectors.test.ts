import { readFileSync } from 'node:fs';
import { sample, sized } from '@fairtick/kit/size.ts';
import { describe, expect, test } from 'vitest';
import { harmless, mutationsOf } from './frauds/mutations.ts';
import { sha256 } from './ground.ts';
import { readKey, readWitness } from './reading.ts';
import { agreesWithAsked, contradiction, verify, verifyEvidence } from './verify.ts';

const FILE = new URL('../../docs/receipt-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(FILE, 'utf8'));
const keys = { log: readKey(vectors.keys.log), acceptances: readKey(vectors.keys.acceptances) };
const receipts = Object.entries<any>(vectors.receipts);
const frauds = Object.entries<any>(vectors.frauds);
const pinned = { ...keys, witnesses: vectors.witnesses.map(readWitness) };
/** `npm test` judges one mutation in this many, `test:full` all. */
const EVERY = sized(8, 1);
/** One of each form, and some with more entries. */
const OF_EACH_FORM = [
  'won',
  'won, by its close',
  'void, too few sources at the opening',
  'won, no price of its settlement time',
  'void, logged too late',
  'won, both records of Pyth shown as signed',
  'won, signed with keys that followed',
];
/** A verdict whose limits, which have no order, are sorted. */
const judged = (receipt: unknown, trusted: typeof keys): object => {
  const verdict = verify(JSON.stringify(receipt), trusted);
  return verdict.valid ? { ...verdict, limits: [...verdict.limits].sort() } : verdict;
};

describe('a verifier written only from the documentation of the format', () => {
  test.each(receipts)('computes the outcome of the receipt "%s"', (_name, { receipt, form, limits }) => {
    const { outcome } = receipt;
    expect(judged(receipt, keys)).toMatchObject({ valid: true, form, limits: limits.toSorted(), outcome });
  });

  test('refuses every changed vector at the documented check', () => {
    for (const { of, pointer, value, refusedBy } of vectors.refused) {
      const receipt = structuredClone(vectors.receipts[of].receipt);
      const path = pointer.split('/').slice(1);
      const last = path.pop();
      path.reduce((at: any, name: string) => at[name], receipt)[last] = value;
      const verdict = verify(JSON.stringify(receipt), keys);
      expect({ pointer, ...verdict }).toMatchObject({ pointer, valid: false, refusedBy });
    }
  });

  test.each(frauds)('refuses the fraud at the documented check: %s', (_name, { receipt, refusedBy }) => {
    expect(verify(JSON.stringify(receipt), keys)).toMatchObject({ valid: false, refusedBy });
  });

  test.each(receipts)('counts the witnesses of "%s"', (_name, { receipt, limits, ...counts }) => {
    const { witnesses, witnessedBefore } = counts;
    const isWitnessed = witnesses === pinned.witnesses.length;
    const left = limits.filter((limit: string) => !(isWitnessed && limit === 'witnesses'));
    const expected = { valid: true, limits: left.sort(), witnesses, witnessedBefore };
    expect(judged(receipt, pinned)).toMatchObject(expected);
  });

  test('finds what was asked for in the acceptance, and nothing else', () => {
    for (const { of, nonce, text, agrees } of vectors.asked) {
      const acceptance = vectors.receipts[of].receipt.acceptance.text;
      expect(sha256(text).toString('hex') === acceptance.split('\n')[3]).toBe(agrees);
      expect({ of, nonce, agrees: agreesWithAsked(acceptance, nonce) }).toEqual({ of, nonce, agrees });
    }
  });

  test.each(Object.entries<any>(vectors.evidence))(
    'finds what contradicts the evidence that was kept: %s',
    (_name, { acceptance, answer, receipt, isInTime, contradiction: of }) => {
      const kept = [JSON.stringify(answer), JSON.stringify(acceptance)] as const;
      expect(verifyEvidence(...kept, keys)).toMatchObject({ valid: true, isInTime });
      expect(verify(JSON.stringify(receipt), keys)).toMatchObject({ valid: true });
      expect(contradiction(JSON.stringify(receipt), ...kept)).toBe(of);
    },
  );

  test.each(Object.entries<any>(vectors.refusedEvidence))(
    'refuses evidence at the documented check: %s',
    (_name, { acceptance, answer, refusedBy }) => {
      const verdict = verifyEvidence(JSON.stringify(answer), JSON.stringify(acceptance), keys);
      expect(verdict).toMatchObject({ valid: false, refusedBy });
    },
  );

  test.each(sample(OF_EACH_FORM, 3))(
    'refuses every mutation of the receipt "%s"',
    { timeout: 180_000 },
    (of) => {
      const { receipt, limits } = vectors.receipts[of];
      const passed: string[] = [];
      let count = 0;
      for (const { name, text } of mutationsOf(receipt, [vectors.receipts.lost.receipt])) {
        count += 1;
        if (count % EVERY !== 0) continue;
        const verdict = verify(text, keys);
        // Signed updates may be left out, and the verifier says so.
        if (verdict.valid && verdict.limits.length <= limits.length) passed.push(name);
      }
      expect(passed).toEqual([]);
      expect(count).toBeGreaterThan(2000);
    },
  );

  test.each(receipts)(
    'accepts the receipt "%s" in every spelling that the format leaves open',
    (_, { receipt }) => {
      for (const { name, text } of harmless(receipt)) {
        const { outcome } = verify(text, keys) as { outcome?: object };
        expect({ name, outcome }).toEqual({ name, outcome: receipt.outcome });
      }
    },
  );
});
