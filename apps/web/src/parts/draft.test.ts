import { beforeEach, expect, test } from 'vitest';
import { endSession } from '../state/session-lifecycle.ts';
import { forgetDraft, keyFor } from './draft.ts';

beforeEach(() => endSession());

test('the same content of a form keeps its key until it is answered', () => {
  const key = keyFor('with', '["7","USDT","50"]');
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(keyFor('with', '["7","USDT","50"]')).toBe(key);
  expect(keyFor('recharge', '["7","USDT","50"]')).not.toBe(key);
  forgetDraft('with');
  expect(keyFor('with', '["7","USDT","50"]')).not.toBe(key);
});

test('other content and another customer get another key', () => {
  const key = keyFor('with', '["7","USDT","50"]');
  expect(keyFor('with', '["7","USDT","51"]')).not.toBe(key);
  const own = keyFor('with', '["7","USDT","50"]');
  endSession();
  expect(keyFor('with', '["7","USDT","50"]')).not.toBe(own);
});
