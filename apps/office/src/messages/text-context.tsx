import { createContext, type ReactNode, useContext } from 'react';
import type { Text } from './text.ts';

const TextContext = createContext<Text | null>(null);

export function TextProvider({ text, children }: { text: Text; children: ReactNode }) {
  return <TextContext value={text}>{children}</TextContext>;
}

/** The texts of the chosen language. */
export function useText(): Text {
  const text = useContext(TextContext);
  if (!text) throw new Error('no texts: TextProvider is missing');
  return text;
}
