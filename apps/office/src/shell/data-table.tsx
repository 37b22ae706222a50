import { type ColumnDef, tableFeatures, useTable } from '@tanstack/react-table';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { useSettings } from '../state/settings.ts';
import css from './data-table.module.css';
import { Action } from './form.tsx';

/** The server sorts and pages the rows, so the table library's features are off. */
export const features = tableFeatures({});
export type Column<Row extends object> = ColumnDef<typeof features, Row> & {
  /** Numbers are aligned to the right. */
  readonly meta?: { readonly isNumber?: true };
};

/** A list read page by page. */
export interface PagedList<Row extends object> {
  readonly rows: readonly Row[];
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/**
 * A table of the office with rows 44 px high. With `onOpen`, rows are opened by mouse or keyboard (arrows, J and K, Enter).
 * `rows` must stay the same object while its content is the same.
 */
export function DataTable<Row extends object>(props: {
  /** For screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  onOpen?: (row: Row) => void;
  openId?: string | null;
  /** Shown instead of heads and rows when there are no rows. */
  empty: ReactNode;
  /** Less padding, for many columns. */
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
  const { frame, isStop } = useScrollStop();
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
    <div
      ref={frame}
      className={`box ${css.frame}`}
      {...(isStop ? { tabIndex: 0, role: 'region', 'aria-label': props.caption } : {})}
    >
      <table className={`full ${css.table}`} data-dense={props.isDense || undefined}>
        <caption className="sr">{props.caption}</caption>
        {props.rows.length > 0 && (
          <thead>
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id}>
                {group.headers.map((header) => (
                  <th
                    className="py-10 px-12 text-12 ink-3 text-left nowrap line-below"
                    key={header.id}
                    scope="col"
                    data-number={isNumber(header.column.columnDef.meta)}
                  >
                    <table.FlexRender header={header} />
                  </th>
                ))}
              </tr>
            ))}
          </thead>
        )}
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
      {props.rows.length === 0 && <div className={`ink-3 text-center ${css.empty}`}>{props.empty}</div>}
    </div>
  );
}

/** Whether a frame that scrolls contains nothing to focus: it is then focused itself, so that the keys can scroll it. */
function useScrollStop() {
  const frame = useRef<HTMLDivElement>(null);
  const [isStop, setStop] = useState(false);
  useEffect(() => {
    const { current } = frame;
    if (!current) return;
    const sizes = new ResizeObserver(() =>
      setStop(
        current.scrollWidth > current.clientWidth &&
          current.querySelector('a, button:enabled, input:enabled, [tabindex="0"]') === null,
      ),
    );
    for (const one of [current, ...current.children]) sizes.observe(one);
    return () => sizes.disconnect();
  }, []);
  return { frame, isStop };
}

/** The text shown when there are no rows. */
export function useEmptyText(query: { isPending: boolean; isError: boolean }, none: string): string {
  const { t } = useText();
  if (query.isPending) return t('shell.loading');
  return query.isError ? t('shell.networkError') : none;
}

/** A button that fetches the next page, if there is one. */
export function More({
  query,
}: {
  query: Pick<PagedList<object>, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
}) {
  const { t } = useText();
  if (!query.hasNextPage) return null;
  return (
    <p className="text-center">
      <Action disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {t('shell.more')}
      </Action>
    </p>
  );
}
