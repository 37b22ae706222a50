import { expect, test } from 'vitest';
import { endsWord } from './enter-sends.ts';
import { passkeyFaultOf } from './passkey-fault.ts';

const enter = (changes: { keyCode?: number; isComposing?: boolean } = {}) => ({
  key: 'Enter',
  shiftKey: false,
  keyCode: changes.keyCode ?? 13,
  nativeEvent: { isComposing: changes.isComposing ?? false },
});

test('an Enter ends a word while it is composed, and in Safari just after it, by its key code', () => {
  expect(endsWord(enter())).toBe(false);
  expect(endsWord(enter({ isComposing: true }))).toBe(true);
  expect(endsWord(enter({ keyCode: 229 }))).toBe(true);
});

test('faults of passkeys are told apart by the browser’s error, also where a library has wrapped it', () => {
  const named = (name: string) => Object.assign(new Error('x'), { name });
  expect(passkeyFaultOf(named('NotAllowedError'))).toBe('cancelled');
  expect(passkeyFaultOf(named('InvalidStateError'))).toBe('known');
  expect(passkeyFaultOf(new Error('wrapped', { cause: named('SecurityError') }))).toBe('wrongSite');
  expect(passkeyFaultOf(named('TypeError'))).toBe('unsupported');
});
