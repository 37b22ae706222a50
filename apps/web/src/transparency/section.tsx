import { exact } from '@fairtick/ui';
import type { ReactNode } from 'react';
import css from './transparency.module.css';

export function Section(props: { id: string; title: string; note?: ReactNode; children: ReactNode }) {
  const { id, title, note, children } = props;
  return (
    <section className={css.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {note && <p className={`note ${css.note}`}>{note}</p>}
      {children}
    </section>
  );
}

/** Names and values in their card. */
export function Figures({ children }: { children: ReactNode }) {
  return (
    <div className={`card p-16 ${css.card}`}>
      <dl className={css.facts}>{children}</dl>
    </div>
  );
}

/** A note in place of figures that there are none of. */
export function NoFigures({ children }: { children: string }) {
  return (
    <div className={`card p-16 ${css.card}`}>
      <p className="note">{children}</p>
    </div>
  );
}

/** A name and its value, in {@link Figures} or another list with the class `facts`. */
export function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A column of a table: its name, and its cell of a row. A phone leaves out the wide ones. */
type Column<T> = readonly [name: string, cell: (row: T) => ReactNode, isWide?: 'wide'];

/** A table in its card. The first column names the rows. */
export function Table<T>(props: {
  caption?: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  children?: ReactNode;
}) {
  const [head, ...others] = props.columns;
  return (
    <div className={`card ${css.list}`}>
      <table className={`full text-13 ${css.table}`}>
        {props.caption && <caption>{props.caption}</caption>}
        <thead>
          <tr>
            {props.columns.map(([name, , isWide]) => (
              <th key={name} scope="col" data-wide={isWide && ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={props.keyOf(row)}>
              <th scope="row">{head?.[1](row)}</th>
              {others.map(([name, cell, isWide]) => (
                <td key={name} data-wide={isWide && ''} {...exact(cell(row))}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {props.children}
    </div>
  );
}
