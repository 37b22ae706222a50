import { DownIcon } from '@fairtick/ui';
import { type HTMLAttributes, type MouseEvent, type ReactNode, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { LoadMore, type More } from './load-more.tsx';
import css from './sortable-table.module.css';

export interface Column<T> {
  readonly id: string;
  readonly name: string;
  readonly cell: (row: T) => ReactNode;
  /** The column's share of the table's width, in percent. */
  readonly width: number;
  /** Figures stand at the right, below each other. */
  readonly isFigure?: boolean;
  /** Ascending order of two rows. Absent: the table does not sort by this column. */
  readonly compare?: (a: T, b: T) => number;
}

interface Sort {
  readonly by: string;
  readonly isDescending: boolean;
}

type RowAttributes = HTMLAttributes<HTMLTableRowElement> & Readonly<Record<`data-${string}`, string>>;

/**
 * Rows of a paged list as a table. The first column is the time, by which the server orders the list, newest first. Another order
 * covers the loaded rows only: the table says so while the server has more, and loads them on request instead of by scrolling.
 */
export function SortableTable<T>(props: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  attributesOf?: (row: T) => RowAttributes;
  more: More;
}) {
  const { t } = useText();
  const { columns, rows, more } = props;
  const first: Sort = { by: columns[0]?.id ?? '', isDescending: true };
  const [sort, setSort] = useState(first);
  const isAsListed = sort.by === first.by && sort.isDescending;
  return (
    <div>
      <p className={`caption ${css.note}`} role="status">
        {!isAsListed && more.state !== 'end' && t('list.sortedLoaded', { count: rows.length })}
      </p>
      <table className={`full text-13 ${css.table}`} aria-label={props.label}>
        <colgroup>
          {columns.map(({ id, width }) => (
            <col key={id} style={{ width: `${width}%` }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.id} column={column} sort={sort} onSort={setSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted(rows, columns, isAsListed ? null : sort).map((row) => (
            <tr key={props.keyOf(row)} onClick={openByLink} {...props.attributesOf?.(row)}>
              {columns.map(({ id, cell, isFigure }) => (
                <td key={id} data-figure={isFigure || undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <LoadMore {...more} isManual={!isAsListed} />
    </div>
  );
}

/** A click anywhere on a row does what a click on its link does, with the same keys held down. Keyboards use the link. */
export function openByLink(event: MouseEvent<HTMLElement>): void {
  const isElsewhere = (event.target as Element).closest('a, button') !== null;
  if (isElsewhere || getSelection()?.isCollapsed === false) return;
  const { ctrlKey, metaKey, shiftKey } = event;
  const click = { ctrlKey, metaKey, shiftKey, bubbles: true, cancelable: true };
  event.currentTarget.querySelector('a')?.dispatchEvent(new window.MouseEvent('click', click));
}

function Head<T>(props: { column: Column<T>; sort: Sort; onSort: (sort: Sort) => void }) {
  const { column, sort } = props;
  const figure = column.isFigure || undefined;
  if (!column.compare)
    return (
      <th scope="col" data-figure={figure}>
        {column.name}
      </th>
    );
  const isCurrent = sort.by === column.id;
  const order = isCurrent ? (sort.isDescending ? 'descending' : 'ascending') : 'none';
  const isDescending = isCurrent ? !sort.isDescending : true;
  return (
    <th scope="col" data-figure={figure} aria-sort={order}>
      <button type="button" onClick={() => props.onSort({ by: column.id, isDescending })}>
        {column.name}
        <DownIcon size={14} />
      </button>
    </th>
  );
}

function sorted<T>(rows: readonly T[], columns: readonly Column<T>[], sort: Sort | null): readonly T[] {
  const compare = columns.find(({ id }) => id === sort?.by)?.compare;
  if (!sort || !compare) return rows;
  // Equal rows stay newest first in both directions.
  return [...rows].sort((a, b) => (sort.isDescending ? compare(b, a) : compare(a, b)));
}
