import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { createText } from '../messages/text.ts';
import { TextProvider } from '../messages/text-context.tsx';
import { TopBar } from './top-bar.tsx';

const text = createText('en', { 'shell.back': 'Back', 'shell.demo': 'Demo' });

/** The texts of the bar between its tags, in order. */
function words(bar: Parameters<typeof TopBar>[0]): string[] {
  const html = renderToString(TextProvider({ text, children: createElement(TopBar, bar) }));
  return html.split(/<[^>]*>/).filter(Boolean);
}

test('the left text is optional and stands before the title, the right text behind it (S2-36, S2-37, S2-38)', () => {
  const bare = words({ title: 'Orders' });
  expect(bare.at(-1)).toBe('Orders');
  expect(words({ title: 'Orders', leftText: 'Back home', rightText: 'Filter' })).toEqual([
    'Back home',
    ...bare,
    'Filter',
  ]);
});
