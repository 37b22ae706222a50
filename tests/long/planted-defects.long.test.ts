import { DefectCheckout } from '@fairtick/kit/defects/defect-checkout.ts';
import { DEFECTS, type PlantedDefect } from '@fairtick/kit/defects/planted-defects.ts';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * Promise 0: the tests can fail. A copy of the checkout gets one defect after the other, and the tests named for it must fail.
 * `SEED` chooses `DEFECTS` of them; with `DEFECT=pattern` all whose name matches the pattern run.
 */
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
const COUNT = Number(process.env.DEFECTS ?? 25);
const PATTERN = process.env.DEFECT;
const chosen = PATTERN === undefined ? some() : DEFECTS.filter(({ name }) => new RegExp(PATTERN).test(name));

function some(): PlantedDefect[] {
  const random = new Random(SEED);
  const left = [...DEFECTS];
  while (left.length > COUNT) left.splice(random.whole(0, left.length - 1), 1);
  return left;
}

describe('a planted defect', () => {
  let checkout: DefectCheckout;
  beforeAll(() => {
    checkout = new DefectCheckout();
  });
  afterAll(() => checkout?.remove());

  test('is the only cause of a failure: without one all of these tests pass', async () => {
    const files = [...new Set(chosen.flatMap(({ caughtBy }) => caughtBy))];
    expect(await checkout.run(files)).toEqual({ kind: 'passed', tests: expect.any(Number) });
  });

  test.each(chosen)('is caught: $name', async (defect) => {
    const result = await checkout.planted(defect, () => checkout.run(defect.caughtBy));
    expect(result).toEqual({ kind: 'failed', failures: expect.any(Array) });
    if (result.kind === 'failed') console.log(`${defect.name}: ${result.failures[0]}`);
  });
});
