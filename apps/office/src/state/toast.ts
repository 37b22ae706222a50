import { create } from 'zustand';

const SHOWN_MS = 4_000;

interface Toast {
  readonly text: string | null;
  show(text: string): void;
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** One line at the bottom, shown for a while; not for anything that needs an action. */
export const useToast = create<Toast>()((set) => ({
  text: null,
  show(text) {
    clearTimeout(timer);
    set({ text });
    timer = setTimeout(() => set({ text: null }), SHOWN_MS);
  },
}));
