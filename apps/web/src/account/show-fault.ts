import { flushSync } from 'react-dom';

/**
 * Shows faults and focuses the first faulty field. Synchronous, because a later focus could interrupt typing in another field.
 */
export function showFault(form: Element, draw: () => void): void {
  flushSync(draw);
  form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
}
