import { expect, test } from 'vitest';
import { eyesOn } from './four-eyes-model.ts';

const ann = { id: '1', name: 'ann' };
const bob = { id: '2', name: 'bob' };
const proposed = {
  content: 'ab',
  needed: 2,
  given: 1,
  events: [
    { step: 'submitted', by: null },
    { step: 'found', by: ann },
    { step: 'found', by: ann },
  ],
  approvals: [{ by: bob, counts: true }],
};
const reader = (id: string, usableFrom = 0) => ({ id, roles: [{ role: 'approver', usableFrom }], nowMs: 10 });

test('a proposal shows its editors, its approvers and how many approvals are missing', () => {
  expect(eyesOn(proposed, reader('3'))).toEqual({
    editors: ['ann'],
    approvers: ['bob'],
    lapsed: [],
    missing: 1,
    barred: null,
  });
  expect(eyesOn({ ...proposed, given: 2 }, reader('3')).missing).toBe(0);
  expect(eyesOn({ ...proposed, content: null }, reader('3')).missing).toBeNull();
});

test('an approval of an earlier version is shown as one that does not count', () => {
  const changed = { ...proposed, approvals: [{ by: bob, counts: false }] };
  expect(eyesOn(changed, reader('2'))).toMatchObject({ approvers: [], lapsed: ['bob'], barred: null });
});

test('a reader who may not approve sees the reason in advance', () => {
  expect(eyesOn(proposed, { ...reader('3'), roles: [] }).barred).toBe('role');
  expect(eyesOn({ ...proposed, content: null }, reader('3')).barred).toBe('nothingProposed');
  // The author of any version is barred, not only of the newest.
  expect(eyesOn(proposed, reader('1')).barred).toBe('ownEdit');
  expect(eyesOn(proposed, reader('2')).barred).toBe('alreadyApproved');
  expect(eyesOn(proposed, reader('3', 11)).barred).toBe('tooNew');
});
