import type { ReceiptReport, ReceiptStep } from '@fairtick/proof';
import { I18n } from '@lingui/core';
import { expect, test } from 'vitest';
import en from '../messages/receipt/en.json' with { type: 'json' };
import tw from '../messages/receipt/tw.json' with { type: 'json' };
import zh from '../messages/receipt/zh.json' with { type: 'json' };
import { signedText } from './words.ts';

const COUNTS = { count: 2, wanted: 2, signers: 3, routers: 5, newest: 2, late: 0 };

/** The sentence in a language, of a receipt whose updates have this result. */
function told(language: 'zh' | 'tw' | 'en', state: ReceiptStep['state'], known = 2): string | null {
  const step: ReceiptStep = { id: 'updates', state, values: { ...COUNTS, known }, fault: null };
  const report: ReceiptReport = { isValid: true, steps: [step], limits: [], shown: null };
  const i18n = new I18n({ locale: language, messages: { [language]: { zh, tw, en }[language] } });
  return signedText({ report }, (id, values) => i18n._(id, values));
}

test('who signed Pyth’s records is told in each language', () => {
  expect(told('en', 'proved')).toBe(
    'Pyth’s record is signed by 3 of 5 Pyth routers, in 2 of 2 deciding prices.',
  );
  expect(told('zh', 'proved')).toContain('由 5 个 Pyth 路由节点中的 3 个签名');
  expect(told('tw', 'proved')).toContain('由 5 個 Pyth 路由節點中的 3 個簽名');
});

test('keys that are not known as Pyth’s are told as such, and nothing of what is not shown', () => {
  expect(told('en', 'proved', 1)).toContain('This app does not know them as Pyth’s.');
  expect(told('zh', 'proved', 0)).toContain('本应用不认得');
  expect(told('tw', 'proved', 0)).toContain('本應用程式不認得');
  expect(told('en', 'absent')).toBe(null);
});
