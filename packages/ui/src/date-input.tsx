import type { ComponentProps } from 'react';
import css from './date-input.module.css';
import { Icon } from './icons.tsx';

/**
 * A day or a moment: the browser's own field and calendar, in our clothes. What a reader types, hears and is offered is the
 * platform's; the face, the figures and the picture that opens the calendar are ours.
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
