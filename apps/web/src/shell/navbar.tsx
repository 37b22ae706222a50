import { createContext, type ReactNode, useContext, useLayoutEffect } from 'react';

export interface NavbarSlots {
  readonly title?: string;
  /** A product whose price stands in the browser's title. */
  readonly symbol?: string;
  /** The view has a large heading of its own: the bar's title is for screen readers only. */
  readonly isTitleBelow?: boolean;
  /** The way back is there only where it leads to a page of the app. */
  readonly isFirst?: boolean;
  readonly leftText?: string;
  readonly rightText?: string;
  readonly onClickRight?: () => void;
  readonly onBack?: () => void;
  readonly right?: ReactNode;
}

export const NavbarContext = createContext<(slots: NavbarSlots) => void>(() => {});

/** The bar of the landing page, known before the page's code has loaded. */
export const BRAND_BAR: NavbarSlots = { isTitleBelow: true, isFirst: true, leftText: 'Fairtick' };

/** Fills the view's top bar while the component is mounted. `slots` must be memoised. */
export function useNavbar(slots: NavbarSlots): void {
  const set = useContext(NavbarContext);
  // A layout effect, so that the bar is never painted without its contents.
  useLayoutEffect(() => {
    set(slots);
    return () => set({});
  }, [set, slots]);
}
