import { create } from 'zustand';
import { onSessionEnd } from '../state/end-session.ts';
import { EMPTY_FORM, type RealNameAction, type RealNameForm, reduce } from './real-name-model.ts';

interface DraftStore {
  readonly form: RealNameForm;
  dispatch(action: RealNameAction): void;
}

/**
 * The text and pictures entered so far. It outlives the screen, which is not cached, so that the customer can look something up.
 * Kept in memory only, and cleared with the session.
 */
export const useDraft = create<DraftStore>()((set) => ({
  form: EMPTY_FORM,
  dispatch: (action) => set(({ form }) => ({ form: reduce(form, action) })),
}));
onSessionEnd(() => useDraft.getState().dispatch({ type: 'empty' }));
