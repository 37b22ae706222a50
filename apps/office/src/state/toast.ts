import { create } from 'zustand';

const SHOWN_MS = 4_000;

interface Toast {
  readonly text: string | null;
  show(text: string): void;
  /** Another page is shown: the line goes along to the page that an action leads to, and no further. */
  leave(): void;
}

let timer: ReturnType<typeof setTimeout> | undefined;
let isNew = false;

/** Shows one line at the top for a while. A message that needs an action does not belong here. */
export const useToast = create<Toast>()((set) => ({
  text: null,
  show(text) {
    clearTimeout(timer);
    set({ text });
    isNew = true;
    timer = setTimeout(() => set({ text: null }), SHOWN_MS);
  },
  leave: () => {
    if (!isNew) set({ text: null });
    isNew = false;
  },
}));
