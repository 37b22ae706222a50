import { expect, test } from 'vitest';
import { useReauth } from './reauth.ts';

test('one answer to the request for the password resolves all waiting calls, and a later call asks again', async () => {
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
