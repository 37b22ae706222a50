import { get, post, register } from '@fairtick/kit/clients/api-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { expect, test } from 'vitest';
import { scoreOf } from './credit-score.ts';

const db = ownDatabase();
const api = ownApi(db);

const NOTHING = {
  isVerified: false,
  hasWithdrawalPassword: false,
  hasSecondFactor: false,
  recoveryCodes: 0,
  hasReversedDeposit: true,
  ageDays: 0,
};

test('the score is the sum of its facts, from 0 to 100', () => {
  expect(scoreOf(NOTHING).creditScore).toBe(0);
  const all = scoreOf({
    isVerified: true,
    hasWithdrawalPassword: true,
    hasSecondFactor: true,
    recoveryCodes: 1,
    hasReversedDeposit: false,
    ageDays: 4_000,
  });
  expect(all.creditScore).toBe(100);
  expect(all.facts.every(({ points, most }) => points === most)).toBe(true);
  expect(scoreOf({ ...NOTHING, ageDays: 89.9 }).creditScore).toBe(2);
  expect(scoreOf({ ...NOTHING, ageDays: -3 }).creditScore).toBe(0);
});

test('the score follows what the customer does, and getUserInfo says the same', async () => {
  const { token } = await register(api.origin);
  const standing = async () => (await get(api.origin, 'user/standing', {}, { token })).body.data;
  const score = async () => (await get(api.origin, 'user/getUserInfo', {}, { token })).body.data.creditScore;
  expect(await standing()).toMatchObject({ level: 'bronze', creditScore: 20 });
  expect(await score()).toBe(20);
  await post(api.origin, 'user/setPayWord', { payWord: '135790' }, { token });
  expect((await standing()).creditScore).toBe(30);
  expect(await score()).toBe(30);
});
