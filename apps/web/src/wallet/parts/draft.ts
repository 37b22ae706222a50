import { useReducer } from 'react';
import { newKey } from '../../api/keys.ts';
import { onSessionEnd } from '../../state/end-session.ts';

/** What was typed in a form that was left, for as long as the page lives. No password is ever among it. */
const drafts = new Map<string, unknown>();
/** What was last sent of a form, and under which key; never a password either. */
const sent = new Map<string, { readonly content: string; readonly key: string }>();
onSessionEnd(() => {
  drafts.clear();
  sent.clear();
});

/**
 * The key that a form's content goes under. Whoever leaves without an answer, comes back and sends the same again sends it
 * under the same key: it counts once.
 */
export function keyFor(name: string, content: string): string {
  const before = sent.get(name);
  if (before?.content === content) return before.key;
  const key = newKey();
  sent.set(name, { content, key });
  return key;
}

/** Whether exactly this was sent before and did not succeed, as far as is known here: what became of it only the server knows. */
export const wasSent = (name: string, content: string): boolean => sent.get(name)?.content === content;

/** It was answered, or is not wanted any more. */
export function forgetDraft(name: string): void {
  drafts.delete(name);
  sent.delete(name);
}

/** A form's state that is still there when the reader comes back from a detour. */
export function useDraft<S, A>(
  name: string,
  reduce: (state: S, action: A) => S,
  first: S,
  /** What of it is kept. */
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
