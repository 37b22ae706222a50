import { create } from 'zustand';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isFault: boolean;
  readonly href: string | null;
  /** No other screen was opened since: it goes along to the screen that an action leads to, as after saving a form. */
  readonly isNew: boolean;
}

interface ToastStore {
  readonly toast: Toast | null;
  show(text: string, options?: { isFault?: boolean; href?: string }): void;
  hide(id: number): void;
  /** Another screen is shown: hides the toast, unless it is new. */
  leave(): void;
}

/** How long the line at the bottom shows, ms. A new line replaces the last one. */
export const TOAST_MS = 4_000;
/** The same for a line that is a link: time to read it, and to reach it by the keyboard. */
export const LINK_MS = 12_000;

export const useToast = create<ToastStore>()((set, get) => ({
  toast: null,
  show: (text, options) =>
    set({
      toast: {
        id: (get().toast?.id ?? 0) + 1,
        text,
        isFault: options?.isFault ?? false,
        href: options?.href ?? null,
        isNew: true,
      },
    }),
  hide: (id) => set(({ toast }) => (toast?.id === id ? { toast: null } : {})),
  leave: () => set(({ toast }) => ({ toast: toast?.isNew ? { ...toast, isNew: false } : null })),
}));
