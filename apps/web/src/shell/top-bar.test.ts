import { createElement, type ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { createText } from '../messages/text.ts';
import { TextProvider } from '../messages/text-context.tsx';
import { TopBar } from './top-bar.tsx';
import { VisitorControls } from './visitor-controls.tsx';

const text = createText('en', {
  'shell.back': 'Back',
  'shell.demo': 'Demo',
  'shell.livePrices': 'Live prices',
});

/** The texts between the tags of what a visitor sees, in order. */
function words(children: ReactNode): string[] {
  const html = renderToString(TextProvider({ text, children }));
  return html.split(/<[^>]*>/).filter(Boolean);
}

const bar = (props: Parameters<typeof TopBar>[0]) => words(createElement(TopBar, props));

test('the left text is optional and stands before the title, the right text behind it (S2-36, S2-37, S2-38)', () => {
  const controls = words(createElement(VisitorControls));
  expect(bar({ title: 'Orders' })).toEqual(['Demo', 'Live prices', 'Orders', ...controls]);
  expect(bar({ title: 'Orders', leftText: 'Back home', rightText: 'Filter' })).toEqual([
    'Back home',
    'Demo',
    'Live prices',
    'Orders',
    ...controls,
    'Filter',
  ]);
});
