import { newKey } from '@fairtick/ui/keys';
import { useReducer } from 'react';
import { onSessionEnd } from '../../state/end-session.ts';

/** Unsent form contents, kept while the page lives. Never contains a password. */
const drafts = new Map<string, unknown>();
/** The content last sent by each form and its idempotency key. Never contains a password. */
const sent = new Map<string, { readonly content: string; readonly key: string }>();
onSessionEnd(() => {
  drafts.clear();
  sent.clear();
});

/**
 * The idempotency key for a form's content. The same content gets the same key, also when the reader leaves without an answer and
 * comes back: it counts once.
 */
export function keyFor(name: string, content: string): string {
  const before = sent.get(name);
  if (before?.content === content) return before.key;
  const key = newKey();
  sent.set(name, { content, key });
  return key;
}

/** Whether exactly this content was sent without a known success; only the server knows its outcome. */
export const wasSent = (name: string, content: string): boolean => sent.get(name)?.content === content;

/** Forgets a draft that was answered or given up. */
export function forgetDraft(name: string): void {
  drafts.delete(name);
  sent.delete(name);
}

/** A form's state that survives leaving the screen and coming back. */
export function useDraft<S, A>(
  name: string,
  reduce: (state: S, action: A) => S,
  first: S,
  /** Selects the part of the state to keep. */
  kept: (state: S) => S = (state) => state,
) {
  const [form, change] = useReducer(
    (state: S, action: A) => {
      const next = reduce(state, action);
      drafts.set(name, kept(next));
      return next;
    },
    (drafts.get(name) as S | undefined) ?? first,
  );
  return { form, change, forget: () => forgetDraft(name) };
}
