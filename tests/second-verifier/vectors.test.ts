import { readFileSync } from 'node:fs';
import { sample, sized } from '@fairtick/kit/size.ts';
import { describe, expect, test } from 'vitest';
import { leafOf } from './ground.ts';
import { harmless, mutationsOf } from './mutations.ts';
import { readKey, readWitness } from './reading.ts';
import { contradiction, verify, verifyLogged } from './verify.ts';

const FILE = new URL('../../docs/receipt-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(FILE, 'utf8'));
const keys = { log: readKey(vectors.keys.log), acceptances: readKey(vectors.keys.acceptances) };
const receipts = Object.entries<any>(vectors.receipts);
const frauds = Object.entries<any>(vectors.frauds);
/** `npm test` judges one mutation in this many, `test:full` all. */
const EVERY = sized(8, 1);
/** One of each form, and of each way to be void. */
const OF_EACH_FORM = [
  'won',
  'won, no entry of the settlement time',
  'void, a hole before it opened',
  'void, a gap before it opened',
  'void, a hole that the next entry shows much later',
  'void, logged too late',
  'won, signed with keys that followed',
];

describe('a verifier written only from the documentation of the format', () => {
  test.each(receipts)('computes the outcome of the receipt "%s"', (_name, { receipt, form, limits }) => {
    expect(verify(JSON.stringify(receipt), keys)).toEqual({
      valid: true,
      form,
      limits,
      outcome: receipt.outcome,
    });
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

  test.each(receipts)('counts the witnesses of "%s"', (_name, { receipt, limits, witnesses }) => {
    const pinned = { ...keys, witnesses: vectors.witnesses.map(readWitness) };
    const verdict = verify(JSON.stringify(receipt), pinned);
    const isWitnessed = witnesses === pinned.witnesses.length;
    const expected = limits.filter((limit: string) => !(isWitnessed && limit === 'witnesses'));
    expect(verdict).toMatchObject({ valid: true, limits: expected });
  });

  test.each(Object.entries<any>(vectors.evidence))(
    'finds what contradicts the evidence that was kept: %s',
    (_name, { acceptance, answer, receipt, contradiction: of }) => {
      const kept = [JSON.stringify(answer), JSON.stringify(acceptance)] as const;
      const hash = acceptance.text.split('\n')[10];
      const rules = receipts
        .flatMap(([, each]) => each.receipt.entries)
        .find(({ entry }) => leafOf(entry).toString('hex') === hash).entry;
      expect(verifyLogged(...kept, rules, keys)).toMatchObject({ valid: true });
      expect(verify(JSON.stringify(receipt), keys)).toMatchObject({ valid: true });
      expect(contradiction(JSON.stringify(receipt), ...kept)).toBe(of);
    },
  );

  test.each(sample(OF_EACH_FORM, 3))(
    'refuses every mutation of the receipt "%s"',
    { timeout: 180_000 },
    (of) => {
      const passed: string[] = [];
      let count = 0;
      for (const { name, text } of mutationsOf(vectors.receipts[of].receipt, [
        vectors.receipts.lost.receipt,
      ])) {
        count += 1;
        if (count % EVERY !== 0) continue;
        if (verify(text, keys).valid) passed.push(name);
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
