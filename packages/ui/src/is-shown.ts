/** Whether an element has a place on the page. (`checkVisibility` is newer than the oldest browsers.) */
export const isShown = (element: Element): boolean => element.getClientRects().length > 0;
