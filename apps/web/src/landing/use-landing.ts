import type { Landing } from '@fairtick/protocol';
import { useCallback, useEffect, useState } from 'react';
import { get } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { readBootData } from '../state/boot.ts';

/** The last that was read: shown at once at the next visit. */
let known: Landing | null = null;

/** The page's content in the reader's language. `again`: it could not be read, and this asks anew. */
export function useLanding(prerendered: Landing | null): {
  landing: Landing | null;
  again: (() => void) | null;
} {
  const { language } = useText();
  const [landing, setLanding] = useState(() => prerendered ?? known ?? readBootData()?.landing ?? null);
  const [isFaulty, setFaulty] = useState(false);
  const isWanted = landing?.language !== language;
  const read = useCallback(() => {
    setFaulty(false);
    get('appLanding').then(
      (read) => {
        known = read;
        setLanding(read);
      },
      // What is there stays; where nothing is, the page says so.
      () => setFaulty(true),
    );
  }, []);
  useEffect(() => {
    if (isWanted) read();
  }, [isWanted, read]);
  // The address that named the language has done its work: from here on the reader's choice counts.
  useEffect(() => {
    if (location.pathname === '/home' && new URLSearchParams(location.search).has('lang'))
      history.replaceState(history.state, '', '/home');
  }, []);
  return { landing, again: isFaulty ? read : null };
}
