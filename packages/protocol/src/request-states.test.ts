import { expect, test } from 'vitest';
import { LANGUAGES } from './languages.ts';
import { statusesOf } from './lifecycles.ts';
import { endingOf, stateText } from './request-states.ts';

test('each state of a request has its own word in each language', () => {
  const statuses = new Set([
    ...statusesOf('deposit'),
    ...statusesOf('withdrawal'),
    ...statusesOf('verification'),
  ]);
  // Both are requests that nobody has decided.
  statuses.delete('pending');
  const states = [...statuses].map((status) => ({ status, reason: null }));
  const ended = ['taken_back', 'lapsed'].map((reason) => ({ status: 'ignored', reason }));
  for (const language of LANGUAGES) {
    const words = [...states, ...ended].map(({ status, reason }) =>
      stateText(status, endingOf(reason), language),
    );
    expect([language, new Set(words).size]).toEqual([language, statuses.size + ended.length]);
    expect(words).not.toContain('ignored');
  }
});

test('a request that its customer cancelled, or that lapsed, is not called ignored', () => {
  const inEnglish = (reason: string | null) => stateText('ignored', endingOf(reason), 'en');
  expect(['taken_back', 'lapsed', 'duplicate', null].map(inEnglish)).toEqual([
    'Cancelled',
    'Expired',
    'Ignored',
    'Ignored',
  ]);
});
