const FIELD =
  ':is(input:not([hidden], [type="file"], [type="radio"]:not(:checked)), select, textarea):not(:disabled)';

/** Where a form is begun: its first field that can be filled in. */
export const firstField = (root: Element): HTMLElement | null => root.querySelector<HTMLElement>(FIELD);
