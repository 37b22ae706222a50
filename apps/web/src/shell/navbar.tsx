import { createContext, type ReactNode, useContext, useLayoutEffect, useState } from 'react';

/** What a view puts into the top bar. */
export interface NavbarSlots {
  readonly title?: string;
  /** The view has a large heading of its own: the bar's title is there for the ear only. */
  readonly isTitleBelow?: boolean;
  readonly leftText?: string;
  readonly rightText?: string;
  readonly onClickRight?: () => void;
  readonly onBack?: () => void;
  readonly right?: ReactNode;
}

export const NavbarContext = createContext<(slots: NavbarSlots) => void>(() => {});

export function useNavbarSlots(): { value: NavbarSlots; set: (slots: NavbarSlots) => void } {
  const [value, set] = useState<NavbarSlots>({});
  return { value, set };
}

/** Fills the top bar of this view for as long as the component shows. `slots` must be memoised by its maker. */
export function useNavbar(slots: NavbarSlots): void {
  const set = useContext(NavbarContext);
  // Before anything is painted: no bar is seen without what belongs into it.
  useLayoutEffect(() => {
    set(slots);
    return () => set({});
  }, [set, slots]);
}
