import type { Landing } from '@fairtick/protocol';
import { useCallback, useEffect, useState } from 'react';
import { get } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { readBootData } from '../state/boot.ts';
import { useSettings } from '../state/settings.ts';

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
  // Not only whether: a language that is chosen while another is on its way is asked for, too.
  const wanted = landing?.language === language ? null : language;
  const read = useCallback(() => {
    setFaulty(false);
    get('appLanding').then(
      (read) => {
        // What comes in a language that was left meanwhile is too late.
        if (read.language !== useSettings.getState().language) return;
        known = read;
        setLanding(read);
      },
      // What is there stays; where nothing is, the page says so.
      () => setFaulty(true),
    );
  }, []);
  useEffect(() => {
    if (wanted !== null) read();
  }, [wanted, read]);
  // The address that named the language has done its work: from here on the reader's choice counts.
  useEffect(() => {
    if (location.pathname === '/home' && new URLSearchParams(location.search).has('lang'))
      history.replaceState(history.state, '', '/home');
  }, []);
  return { landing, again: isFaulty ? read : null };
}
