import { create } from 'zustand';

const SHOWN_MS = 4_000;
/** A line that is this new, in ms, belongs to the page that an action leads to. */
const NEW_MS = 500;

interface Toast {
  readonly text: string | null;
  show(text: string): void;
  /** Another page is shown: hides the line of the page before. */
  leave(): void;
}

let timer: ReturnType<typeof setTimeout> | undefined;
let shownAt = 0;

/** Shows one line at the top for a while. A message that needs an action does not belong here. */
export const useToast = create<Toast>()((set) => ({
  text: null,
  show(text) {
    clearTimeout(timer);
    set({ text });
    shownAt = performance.now();
    timer = setTimeout(() => set({ text: null }), SHOWN_MS);
  },
  leave: () => set((now) => (performance.now() - shownAt > NEW_MS ? { text: null } : now)),
}));
