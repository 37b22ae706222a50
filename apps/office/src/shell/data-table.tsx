import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { faultText } from '../api/fault-text.ts';
import { useText } from '../messages/text-context.tsx';
import { useSettings } from '../state/settings.ts';
import css from './data-table.module.css';
import { Action } from './form.tsx';

export interface Column<Row> {
  /** Different from the other headers of the table. */
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are aligned to the right. */
  readonly isNumber?: true;
  /** The header is for screen readers only, as above buttons. */
  readonly isUnnamed?: true;
}

interface Query {
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: Error | null;
}

interface NextPage {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/** Rows that are at hand, of one answer, or read page by page. */
export type List<Row> =
  | readonly Row[]
  | (Query & { readonly data: readonly Row[] | undefined })
  | (Query & NextPage & { readonly rows: readonly Row[] });

interface TableProps<Row> {
  /** For screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly list: List<Row>;
  /** Shown instead of headers and rows when there are no rows. */
  readonly none: ReactNode;
  readonly onOpen?: ((row: Row) => void) | undefined;
  readonly openId?: string | null;
  /** Less padding, for many columns. */
  readonly isDense?: boolean;
}
type KeyOf<Row> = (row: Row) => string;

/**
 * A table of the office with rows 44 px high, and a button for the next page. With `onOpen`, rows are opened by mouse or keyboard
 * (arrows, J and K, Enter). Rows without an id need another key, `idOf`.
 */
export function DataTable<Row extends { readonly id: string }>(
  props: TableProps<Row> & { readonly idOf?: KeyOf<Row> },
): ReactNode;
export function DataTable<Row>(props: TableProps<Row> & { readonly idOf: KeyOf<Row> }): ReactNode;
export function DataTable<Row extends { readonly id?: string }>(
  props: TableProps<Row> & { readonly idOf?: KeyOf<Row> },
) {
  const { caption, columns, list, onOpen, openId, isDense } = props;
  const { idOf = ({ id = '' }: Row) => id } = props;
  const text = useText();
  const keyed = useRowKeys();
  const { frame, isStop } = useScrollStop();
  const rows = 'rows' in list ? list.rows : 'data' in list ? (list.data ?? []) : list;
  const empty = () => {
    if ('isPending' in list && list.isPending) return text.t('shell.loading');
    return 'isError' in list && list.isError ? faultText(list.error, text) : props.none;
  };
  const numberOf = ({ isNumber }: Column<Row>) => (isNumber ? '' : undefined);
  return (
    <>
      <div
        ref={frame}
        className={`box ${css.frame}`}
        {...(isStop ? { tabIndex: 0, role: 'region', 'aria-label': caption } : {})}
      >
        <table className={`full ${css.table}`} data-dense={isDense || undefined}>
          <caption className="sr">{caption}</caption>
          {rows.length > 0 && (
            <thead>
              <tr>
                {columns.map((column) => (
                  <th
                    className="py-10 px-12 text-12 ink-3 text-left nowrap line-below"
                    key={column.header}
                    scope="col"
                    data-number={numberOf(column)}
                  >
                    {column.isUnnamed ? <span className="sr">{column.header}</span> : column.header}
                  </th>
                ))}
              </tr>
            </thead>
          )}
          <tbody>
            {rows.map((row) => (
              <tr
                key={idOf(row)}
                {...(onOpen && {
                  'aria-selected': idOf(row) === openId,
                  tabIndex: 0,
                  'data-open': '',
                  onClick: () => onOpen(row),
                  onKeyDown: keyed(() => onOpen(row)),
                })}
              >
                {columns.map((column) => (
                  <td key={column.header} data-number={numberOf(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <div className={`ink-3 text-center ${css.empty}`}>{empty()}</div>}
      </div>
      {'hasNextPage' in list && <More query={list} />}
    </>
  );
}

/** The keys of a row: arrows, J and K lead to another row, Enter opens it. */
function useRowKeys() {
  const { hasShortcuts } = useSettings();
  return (open: () => void) => (event: KeyboardEvent<HTMLTableRowElement>) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const isStep = (arrow: string, letter: string) =>
      event.key === arrow || (hasShortcuts && event.key === letter);
    const next = isStep('ArrowDown', 'j')
      ? 'nextElementSibling'
      : isStep('ArrowUp', 'k')
        ? 'previousElementSibling'
        : null;
    if (next !== null) {
      event.preventDefault();
      (event.currentTarget[next] as HTMLElement | null)?.focus();
    } else if (event.key === 'Enter') open();
  };
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

/** A button that fetches the next page, if there is one. */
export function More({ query }: { query: NextPage }) {
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
