import { createContext, type ReactNode, use, useContext } from 'react';
import type { Text, TextPart } from './text.ts';

const TextContext = createContext<Text | null>(null);

export function TextProvider({ text, children }: { text: Text; children: ReactNode }) {
  return <TextContext value={text}>{children}</TextContext>;
}

export function useText(): Text {
  const text = useContext(TextContext);
  if (!text) throw new Error('no texts: TextProvider is missing');
  return text;
}

/** Shows its children once the texts of `part` are loaded. */
export function WithTexts({ part, children }: { part: TextPart; children: ReactNode }) {
  const text = useText();
  if (!text.has(part)) use(text.fetch(part));
  return children;
}
