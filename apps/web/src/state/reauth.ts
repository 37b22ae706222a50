import { create } from 'zustand';

/** Whether the reader is being asked for the password again. All calls that wait for it share one answer. */
interface ReauthStore {
  readonly isAsking: boolean;
  /** Resolves when the session is fresh again (true) or the reader did not want to (false). */
  ask(): Promise<boolean>;
  answer(isFresh: boolean): void;
}

let waiting: ((isFresh: boolean) => void)[] = [];

export const useReauth = create<ReauthStore>()((set) => ({
  isAsking: false,
  ask: () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      set({ isAsking: true });
    }),
  answer(isFresh) {
    const told = waiting;
    waiting = [];
    set({ isAsking: false });
    for (const tell of told) tell(isFresh);
  },
}));
