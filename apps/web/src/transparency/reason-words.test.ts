import { PLACEMENT_REFUSALS } from '@fairtick/trading';
import { expect, test } from 'vitest';
import texts from '../messages/transparency/en.json';
import { reasonWords } from './reason-words.ts';

const OF_WITHDRAWALS = [
  'destination_wrong',
  'destination_house',
  'name_mismatch',
  'payout_returned',
  'security',
  'other',
];

test('every published reason of a refused order and of a rejected withdrawal has words, and an unknown one has none', () => {
  for (const code of [...PLACEMENT_REFUSALS, ...OF_WITHDRAWALS])
    expect([code, texts[reasonWords(code) as keyof typeof texts]]).toEqual([code, expect.any(String)]);
  expect(reasonWords('FUTURE_CODE')).toBe(null);
});
