import type { Landing } from '@fairtick/protocol';
import { useCallback, useEffect, useState } from 'react';
import { get } from '../api/client.ts';
import { readBootData } from '../live/boot.ts';
import { useText } from '../messages/text-context.tsx';
import { useSettings } from '../state/settings.ts';

/** The last content read; shown at once on the next visit. */
let known: Landing | null = null;

/** The page's content in the reader's language. `again` retries after a failure; null if there was none. */
export function useLanding(prerendered: Landing | null): {
  landing: Landing | null;
  again: (() => void) | null;
} {
  const { language } = useText();
  const [landing, setLanding] = useState(() => {
    const first = prerendered ?? known ?? readBootData()?.landing;
    // Content in another language than the reader's would be seen until the answer.
    return first?.language === language ? first : null;
  });
  const [isFaulty, setFaulty] = useState(false);
  // The language to fetch, not only whether to fetch: a change of language during a request triggers another one.
  const wanted = landing?.language === language ? null : language;
  const read = useCallback(() => {
    setFaulty(false);
    get('app/landing').then(
      (read) => {
        // Ignores an answer in a language that is no longer chosen.
        if (read.language !== useSettings.getState().language) return;
        known = read;
        setLanding(read);
      },
      // Content already shown stays; without any, the page shows a fault.
      () => setFaulty(true),
    );
  }, []);
  useEffect(() => {
    if (wanted !== null) read();
  }, [wanted, read]);
  // Removes `?lang=` from the address: from here on the reader's choice counts.
  useEffect(() => {
    if (location.pathname === '/home' && new URLSearchParams(location.search).has('lang'))
      history.replaceState(history.state, '', '/home');
  }, []);
  return { landing, again: isFaulty ? read : null };
}
