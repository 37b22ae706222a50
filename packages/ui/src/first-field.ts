const FIELD =
  ':is(input:not([hidden], [type="file"], [type="radio"]:not(:checked)), select, textarea):not(:disabled)';

/** The field at which a form starts: its first one that can be filled in. */
export const firstField = (root: Element): HTMLElement | null => root.querySelector<HTMLElement>(FIELD);
