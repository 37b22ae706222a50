import { create } from 'zustand';

/** Whether the reader is being asked for the password again. All waiting calls share one answer. */
interface ReauthStore {
  readonly isAsking: boolean;
  /** Resolves to true when the session is proved again, to false if the reader cancelled. */
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
