import type { ComponentProps } from 'react';
import css from './date-input.module.css';
import { Icon } from './icons.tsx';

/**
 * A date or date-time field: the browser's own input and calendar with our styling. Typing, screen reader output and the picker
 * are the platform's; font, digits and the calendar icon are ours.
 */
export function DateInput({ className = '', ...rest }: ComponentProps<'input'>) {
  return (
    <span className={css.date}>
      <input className={`${css.input} ${className}`} data-empty={rest.value === '' || undefined} {...rest} />
      <Icon size={18} className={css.icon}>
        <rect x="4" y="5.5" width="16" height="14.5" rx="2.5" />
        <path d="M4 10h16M8.5 3.5v4M15.5 3.5v4" />
      </Icon>
    </span>
  );
}
