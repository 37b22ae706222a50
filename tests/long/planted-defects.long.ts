import { DefectCheckout } from '@fairtick/kit/defects/defect-checkout.ts';
import { DEFECTS } from '@fairtick/kit/defects/planted-defects.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * Promise 0: the tests can fail. A copy of the checkout gets one defect after the other, and the tests that are named for it
 * must notice. `DEFECT=pattern` runs those whose name it matches.
 */
const chosen = DEFECTS.filter(({ name }) => new RegExp(process.env.DEFECT ?? '').test(name));

describe('a planted defect', () => {
  let checkout: DefectCheckout;
  beforeAll(() => {
    checkout = new DefectCheckout();
  });
  afterAll(() => checkout?.remove());

  test('is needed for a failure: without one all of these tests pass', async () => {
    const files = [...new Set(chosen.flatMap(({ caughtBy }) => caughtBy))];
    expect(await checkout.run(files)).toEqual({ kind: 'passed', tests: expect.any(Number) });
  });

  test.each(chosen)('is caught: $name', async (defect) => {
    const result = await checkout.planted(defect, () => checkout.run(defect.caughtBy));
    expect(result).toEqual({ kind: 'failed', failures: expect.any(Array) });
    if (result.kind === 'failed') console.log(`${defect.name}: ${result.failures[0]}`);
  });
});
