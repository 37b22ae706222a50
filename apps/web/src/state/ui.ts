import { create } from 'zustand';

interface UiStore {
  /** Set by a screen to show or hide a bar against its route's own flag; null leaves it to the route. */
  readonly isShowTabbar: boolean | null;
  readonly isShowNavbar: boolean | null;
  readonly charUrl: string;
  setTabbar(isShown: boolean | null): void;
  setNavbar(isShown: boolean | null): void;
  setCharUrl(url: string): void;
}

export const useUi = create<UiStore>()((set) => ({
  isShowTabbar: null,
  isShowNavbar: null,
  charUrl: '',
  setTabbar: (isShowTabbar) => set({ isShowTabbar }),
  setNavbar: (isShowNavbar) => set({ isShowNavbar }),
  setCharUrl: (charUrl) => set({ charUrl }),
}));

/** The list of cached views: names of routes whose views stay mounted after they are left. */
interface CachedViewsStore {
  readonly cachedViews: readonly string[];
  /** Adds a view, unless its route is marked no-cache. */
  add(name: string, isCacheable: boolean): void;
  remove(name: string): void;
  clear(): void;
}

/** The oldest view is removed when there are more, because hidden screens use memory. */
const MAX_CACHED = 12;

export const useCachedViews = create<CachedViewsStore>()((set) => ({
  cachedViews: [],
  add: (name, isCacheable) =>
    set(({ cachedViews }) => {
      if (!isCacheable || cachedViews.includes(name)) return {};
      return { cachedViews: [...cachedViews, name].slice(-MAX_CACHED) };
    }),
  remove: (name) => set(({ cachedViews }) => ({ cachedViews: cachedViews.filter((view) => view !== name) })),
  clear: () => set({ cachedViews: [] }),
}));
