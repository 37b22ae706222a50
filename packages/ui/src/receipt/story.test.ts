import { RECEIPT_STEPS, type ReceiptReport, type ReceiptStep } from '@fairtick/proof';
import { expect, test } from 'vitest';
import { storyOf } from './story.ts';

/** A report whose steps before one hold, and which is refuted by it. */
function reportOf(
  refutedBy: ReceiptStep['id'] | null,
  absent: readonly ReceiptStep['id'][] = [],
): ReceiptReport {
  const end = refutedBy === null ? RECEIPT_STEPS.length : RECEIPT_STEPS.indexOf(refutedBy);
  const steps = RECEIPT_STEPS.map((id, at): ReceiptStep => {
    const state = absent.includes(id) ? 'absent' : at < end ? 'proved' : at === end ? 'refuted' : 'unchecked';
    return { id, state, values: {}, fault: state === 'refuted' ? 'a fault' : null };
  });
  return { isValid: refutedBy === null, steps, limits: [], shown: null };
}
const nothing = { isSame: null, scan: null };

test('a receipt that holds tells of all five parts, one that did not open of no settlement', () => {
  const whole = storyOf({ report: reportOf(null), isSame: true, scan: { count: 9, fault: null } });
  expect(whole.map(({ id }) => id)).toEqual(['accepted', 'logged', 'opened', 'settled', 'paid']);
  expect(whole.every(({ refutedBy }) => refutedBy === null)).toBe(true);
  const unopened = storyOf({ report: reportOf(null, ['settlement']), ...nothing });
  expect(unopened.map(({ id }) => id)).toEqual(['accepted', 'logged', 'opened', 'paid']);
});

test.each(RECEIPT_STEPS)(
  'a refutation by %s is told in its part, and nothing is told of what was not checked',
  (id) => {
    const told = storyOf({ report: reportOf(id), ...nothing });
    expect(told.at(-1)?.refutedBy).toBe(id);
    expect(told.slice(0, -1).every(({ refutedBy }) => refutedBy === null)).toBe(true);
  },
);

test('another log than before, and an entry that the receipt leaves out, are told too', () => {
  const fork = storyOf({ report: reportOf(null), isSame: false, scan: null });
  expect(fork.find(({ id }) => id === 'logged')?.refutedBy).toBe('sameLog');
  const hidden = storyOf({ report: reportOf(null), isSame: true, scan: { count: 9, fault: 'a fault' } });
  expect(hidden.find(({ id }) => id === 'logged')?.refutedBy).toBe('scan');
});
