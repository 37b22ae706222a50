import type { ReactNode } from 'react';
import css from './transparency.module.css';

/** A part of the page: its heading and an introductory note. */
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
      {note && <p className={`note ${css.note}`}>{note}</p>}
      {children}
    </section>
  );
}
