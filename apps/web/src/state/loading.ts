import { create } from 'zustand';

/** How many things the progress bar waits for: pages that load, and calls that are not silent. */
interface LoadingStore {
  readonly pending: number;
  begin(): () => void;
}

export const useLoading = create<LoadingStore>()((set) => ({
  pending: 0,
  begin() {
    let isOver = false;
    set(({ pending }) => ({ pending: pending + 1 }));
    return () => {
      if (isOver) return;
      isOver = true;
      set(({ pending }) => ({ pending: pending - 1 }));
    };
  },
}));
