import { useState } from 'react';
import { useMe } from '../api/queries.ts';
import { eyesOn } from './four-eyes-model.ts';
import type { QueueCase } from './queue-model.ts';

type Roles = ReadonlySet<string>;

/** What the reader is, and four eyes on the case as they see it. */
export function useReader() {
  const me = useMe().data;
  const roles: Roles = new Set(me?.roles.map(({ role }) => role));
  const approver = me?.roles.find(({ role }) => role === 'approver');
  return {
    roles,
    usableFrom: approver?.usableFrom ?? null,
    eyes: (one: Parameters<typeof eyesOn>[0], nowMs: number) =>
      eyesOn(one, { id: me?.id ?? '', roles: me?.roles ?? [], nowMs }),
  };
}

/**
 * The content that the reader has seen. What comes after it, written by somebody else meanwhile, is not approved by a click that
 * was meant for this.
 */
export function useSeen(content: string | null) {
  const [seen, setSeen] = useState(content);
  const [hasLooked, setLooked] = useState(content !== null);
  // The first proposal that comes while the case is open is nothing that was looked at before.
  if (!hasLooked && content !== null) {
    setSeen(content);
    setLooked(true);
  }
  return { isStale: seen !== content && content !== null, lookAgain: () => setSeen(content) };
}

/** Whether a colleague has it in hand. */
export const isTaken = (claim: QueueCase['claim']): boolean => claim !== null && !claim.isMine;

/** To the field of this name, which is still empty. */
export function focusOn(name: string): void {
  document.querySelector<HTMLElement>(`[data-focus="${name}"]`)?.focus();
}
