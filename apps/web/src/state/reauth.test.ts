import { expect, test } from 'vitest';
import { useReauth } from './reauth.ts';

test('calls that wait for the password are all told by one answer, and the next one asks anew', async () => {
  const { ask, answer } = useReauth.getState();
  const both = Promise.all([ask(), ask()]);
  expect(useReauth.getState().isAsking).toBe(true);
  answer(true);
  expect(await both).toEqual([true, true]);
  expect(useReauth.getState().isAsking).toBe(false);
  const refused = ask();
  expect(useReauth.getState().isAsking).toBe(true);
  answer(false);
  expect(await refused).toBe(false);
});
