import { create } from 'zustand';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isFault: boolean;
  readonly href: string | null;
  /** When it was shown, by `performance.now()`. */
  readonly atMs: number;
}

interface ToastStore {
  readonly toast: Toast | null;
  show(text: string, options?: { isFault?: boolean; href?: string }): void;
  hide(id: number): void;
  /** Another screen is shown: hides the toast of the screen before. */
  leave(): void;
}

/** How long the line at the bottom shows, ms. A new line replaces the last one. */
export const TOAST_MS = 4_000;
/** The same for a line that is a link: time to read it, and to reach it by the keyboard. */
export const LINK_MS = 12_000;

/** A toast that is this new, in ms, belongs to the screen that an action leads to, as after saving a form. */
const NEW_MS = 500;

export const useToast = create<ToastStore>()((set, get) => ({
  toast: null,
  show: (text, options) =>
    set({
      toast: {
        id: (get().toast?.id ?? 0) + 1,
        text,
        isFault: options?.isFault ?? false,
        href: options?.href ?? null,
        atMs: performance.now(),
      },
    }),
  hide: (id) => set(({ toast }) => (toast?.id === id ? { toast: null } : {})),
  leave: () => set(({ toast }) => (toast && performance.now() - toast.atMs > NEW_MS ? { toast: null } : {})),
}));
