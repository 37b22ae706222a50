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

/** Resolves when nothing is pending. Called after the first view was rendered, it waits for the parts that this view loads. */
export function untilLoadedAll(): Promise<void> {
  return new Promise((done) => {
    const look = () => {
      if (useLoading.getState().pending > 0) return;
      leave();
      done();
    };
    const leave = useLoading.subscribe(look);
    look();
  });
}
