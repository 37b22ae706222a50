import { create } from 'zustand';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isFault: boolean;
}

interface ToastStore {
  readonly toast: Toast | null;
  show(text: string, options?: { isFault?: boolean }): void;
  hide(id: number): void;
}

/** How long the line at the bottom shows, ms. A new line replaces the last one. */
export const TOAST_MS = 4_000;

export const useToast = create<ToastStore>()((set, get) => ({
  toast: null,
  show: (text, options) =>
    set({ toast: { id: (get().toast?.id ?? 0) + 1, text, isFault: options?.isFault ?? false } }),
  hide: (id) => set(({ toast }) => (toast?.id === id ? { toast: null } : {})),
}));
