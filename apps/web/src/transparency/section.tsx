import type { ReactNode } from 'react';
import css from './transparency.module.css';

/** A part of the page with its heading, and what has to be said of it first. */
export function Section({
  id,
  title,
  note,
  children,
}: {
  id: string;
  title: string;
  note?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={css.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {note && <p className={css.note}>{note}</p>}
      {children}
    </section>
  );
}
