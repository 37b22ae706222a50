import { expect, test } from 'vitest';
import { contradictionWith, pauseBefore } from './evidence-model.ts';

test('the log is asked three times within 2.5 s of an acceptance, then ever less often, a minute apart at most', () => {
  const pauses = Array.from({ length: 30 }, (_, number) => pauseBefore(number));
  expect(pauses[0]).toBe(1_000);
  expect(pauses.slice(0, 3).reduce((sum, pause) => sum + pause)).toBeLessThanOrEqual(2_500);
  for (const [at, pause] of pauses.slice(2).entries())
    expect(pause).toBeGreaterThanOrEqual(pauses[at + 1] ?? 0);
  expect(Math.max(...pauses)).toBe(60_000);
});

test('what a device holds is contradicted by an acceptance of something else, by another acceptance, and by a void as unlogged if it was logged in time', () => {
  const acceptance = { text: 'kept', index: 0, size: 1, proof: [], signed: '' };
  const held = { acceptanceText: 'kept', isAsAsked: true, wasInTime: true };
  expect(contradictionWith(held, { acceptance, voidReason: null })).toBe(null);
  expect(contradictionWith(held, { acceptance, voidReason: 'no_price' })).toBe(null);
  expect(contradictionWith({ ...held, isAsAsked: false }, { acceptance, voidReason: null })).toBe('asked');
  expect(contradictionWith(held, { acceptance: { ...acceptance, text: 'other' }, voidReason: null })).toBe(
    'acceptance',
  );
  expect(contradictionWith(held, { acceptance, voidReason: 'not_logged' })).toBe('void');
  expect(contradictionWith({ ...held, wasInTime: false }, { acceptance, voidReason: 'not_logged' })).toBe(
    null,
  );
});
