import { flushSync } from 'react-dom';

/**
 * Draws faults and leads whoever has to mend something to the first field that is meant. At once: a focus that came later would
 * take away what is being typed into another field by then.
 */
export function showFault(form: Element, draw: () => void): void {
  flushSync(draw);
  form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
}
