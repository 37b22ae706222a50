import { expect, test } from 'vitest';
import { createText, translationLayer } from './text.ts';

test('the translation layer starts in en-US, and the chosen language replaces it before any text is shown (S1-31, S1-32)', () => {
  expect(translationLayer().locale).toBe('en-US');
  const tags = (['zh', 'tw', 'en'] as const).map((language) => {
    const text = createText(language, { 'tab.mine': `${language} {count, number}` });
    return [text.language, text.tag, text.t('tab.mine', { count: 1_000 })];
  });
  expect(tags).toEqual([
    ['zh', 'zh-CN', 'zh 1,000'],
    ['tw', 'zh-TW', 'tw 1,000'],
    ['en', 'en-US', 'en 1,000'],
  ]);
});
