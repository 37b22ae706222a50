import type { ComponentProps } from 'react';
import css from './date-input.module.css';
import { CalendarIcon } from './icons.tsx';

/**
 * A date or date-time field: the browser's own input and calendar with our styling. Typing, screen reader output and the picker
 * are the platform's; font, digits and the calendar icon are ours.
 */
export function DateInput({ className = '', ...rest }: ComponentProps<'input'>) {
  return (
    <span className="row fill relative">
      <input className={`${css.input} ${className}`} data-empty={rest.value === '' || undefined} {...rest} />
      <CalendarIcon size={18} className={css.icon} />
    </span>
  );
}
