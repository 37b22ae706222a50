import { useReducer } from 'react';
import { onSessionEnd } from '../../state/end-session.ts';

/** What was typed in a form that was left, for as long as the page lives. No password is ever among it. */
const drafts = new Map<string, unknown>();
onSessionEnd(() => drafts.clear());

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
  return { form, change, forget: () => void drafts.delete(name) };
}
