import { type ColumnDef, tableFeatures, useTable } from '@tanstack/react-table';
import type { KeyboardEvent, ReactNode } from 'react';
import { useSettings } from '../state/settings.ts';
import css from './data-table.module.css';

/** Rows come sorted and paged by the server: the table needs none of its features. */
export const features = tableFeatures({});
export type Column<Row extends object> = ColumnDef<typeof features, Row> & {
  /** Figures stand to the right, one under the other. */
  readonly meta?: { readonly isNumber?: true };
};

/**
 * A table of the office: rows of 44, and with `onOpen` each can be chosen by mouse or keyboard (arrows, J and K, Enter).
 * `rows` has to be the same object while it says the same.
 */
export function DataTable<Row extends object>(props: {
  /** Said to those who can't see it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  onOpen?: (row: Row) => void;
  openId?: string | null;
  /** In place of rows, where there are none. */
  empty: ReactNode;
  /** Many columns: less air between them. */
  isDense?: boolean;
}) {
  const { hasShortcuts } = useSettings();
  const { idOf, onOpen } = props;
  const table = useTable({
    features,
    columns: props.columns as ColumnDef<typeof features, Row>[],
    data: props.rows as Row[],
    getRowId: idOf,
  });
  const isNumber = (meta: unknown) => ((meta as Column<Row>['meta'])?.isNumber ? '' : undefined);
  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>, row: Row) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const isStep = (keys: readonly string[]) =>
      keys.indexOf(event.key) === 0 || (hasShortcuts && keys.includes(event.key));
    const next = isStep(['ArrowDown', 'j'])
      ? 'nextElementSibling'
      : isStep(['ArrowUp', 'k'])
        ? 'previousElementSibling'
        : null;
    if (next !== null) {
      event.preventDefault();
      (event.currentTarget[next] as HTMLElement | null)?.focus();
    } else if (event.key === 'Enter') onOpen?.(row);
  };
  return (
    <div className={css.frame}>
      <table className={css.table} data-dense={props.isDense || undefined}>
        <caption className="sr">{props.caption}</caption>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => (
                <th key={header.id} scope="col" data-number={isNumber(header.column.columnDef.meta)}>
                  <table.FlexRender header={header} />
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr
              key={row.id}
              aria-selected={onOpen ? row.id === props.openId : undefined}
              tabIndex={onOpen ? 0 : undefined}
              data-open={onOpen ? '' : undefined}
              onClick={onOpen ? () => onOpen(row.original) : undefined}
              onKeyDown={onOpen ? (event) => onKeyDown(event, row.original) : undefined}
            >
              {row.getAllCells().map((cell) => (
                <td key={cell.id} data-number={isNumber(cell.column.columnDef.meta)}>
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {props.rows.length === 0 && <div className={css.empty}>{props.empty}</div>}
    </div>
  );
}
