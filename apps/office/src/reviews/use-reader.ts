import { endsWord } from '@fairtick/ui/enter-sends';
import { type KeyboardEvent, useState } from 'react';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { eyesOn } from './four-eyes-model.ts';
import type { QueueCase } from './queue-model.ts';

/** Four eyes on a case from the reader's view. */
export function useReader() {
  const me = useMe().data;
  const approver = me?.roles.find(({ role }) => role === 'approver');
  return {
    usableFrom: approver?.usableFrom ?? null,
    eyes: (one: Parameters<typeof eyesOn>[0], nowMs: number) =>
      eyesOn(one, { id: me?.id ?? '', roles: me?.roles ?? [], nowMs }),
  };
}

/**
 * Remembers the content that the reader has seen. `isStale` is true once a colleague has changed it, so that a click meant for
 * the old content does not approve the new one.
 */
export function useSeen(content: string | null) {
  const [seen, setSeen] = useState(content);
  const [hasLooked, setLooked] = useState(content !== null);
  // The first proposal while the case is open counts as seen, because it replaces nothing.
  if (!hasLooked && content !== null) {
    setSeen(content);
    setLooked(true);
  }
  return { isStale: seen !== content && content !== null, lookAgain: () => setSeen(content) };
}

/** Why a case is closed to the reader: a colleague has claimed it. Null: it is not. */
export function useTaken(claim: QueueCase['claim']): string | null {
  const { t } = useText();
  return claim === null || claim.isMine ? null : t('review.takenBy', { name: claim.by.name });
}

/** Runs when Enter is pressed in a field, so that a review needs no pointer. */
export const onEnter = (run: () => void) => ({
  onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' || endsWord(event)) return;
    event.preventDefault();
    run();
  },
});

/** Focuses the field of this name. */
export function focusOn(name: string): void {
  document.querySelector<HTMLElement>(`[data-focus="${name}"]`)?.focus();
}
