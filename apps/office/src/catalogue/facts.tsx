import type { ReactNode } from 'react';
import css from './catalogue.module.css';

/** Names and values, one below the other; long hashes and lists wrap. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={`stack gap-8 ${css.facts}`}>{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
