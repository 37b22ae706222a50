import { type RowOf, useMe, usePages } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Copy } from '../shell/code-text.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { formatTime } from '../state/format.ts';
import css from './reports.module.css';

export const EXPORTS = 'reports';
/** Letters shown of a hash: enough to tell two apart. */
const HASH_LETTERS = 8;

/** 2026-11-30: days of a period are those of its own zone, both included. */
const dayIn = (timeZone: string, ms: number): string =>
  new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(ms);

const urlOf = (what: 'file' | 'note', id: string): string =>
  `/api/report/${what}?${new URLSearchParams({ id })}`;

/**
 * Lets the browser download an export to its disk: a file of a million rows is too large for a page's memory. The server answers this
 * to pages of its own origin alone, and once.
 */
export function fetchFile(id: string): void {
  Object.assign(document.createElement('a'), { href: urlOf('file', id), download: '' }).click();
}

/** All exports, newest first: what was made, by whom and why, its hash and its signed note. */
export function ExportsTable() {
  const { t, word } = useText();
  const { data: me } = useMe();
  const columns: Column<RowOf<'report/list'>>[] = [
    { header: t('ledger.number'), cell: ({ id }) => id, isNumber: true },
    {
      header: t('reports.report'),
      cell: ({ report, format }) => `${word('report', report)} (${format.toUpperCase()})`,
    },
    {
      header: t('reports.period'),
      cell: ({ since, until, zone }) => (
        <span>
          {dayIn(zone, since)}
          <br />
          {dayIn(zone, until - 1)} <span className="note">{zone}</span>
        </span>
      ),
    },
    {
      header: t('reconciliation.by'),
      cell: ({ orderedBy, orderedAt }) => (
        <span>
          {orderedBy?.name ?? t('reports.command')}
          <br />
          <span className="note">{formatTime(orderedAt)}</span>
        </span>
      ),
    },
    { header: t('staff.reason'), cell: ({ reason }) => <span className={css.reason}>{reason}</span> },
    {
      header: t('staff.state'),
      cell: ({ id, state, orderedBy }) =>
        state === 'ordered' && orderedBy?.id === me?.id ? (
          <a className="link" href={urlOf('file', id)} download="">
            {t('reports.fetch')}
          </a>
        ) : (
          word('exportState', state)
        ),
    },
    { header: t('reports.rows'), cell: ({ rows }) => rows, isNumber: true },
    {
      header: t('reports.hash'),
      cell: ({ sha256 }) =>
        sha256 && (
          <>
            <code>{sha256.slice(0, HASH_LETTERS)}…</code> <Copy text={sha256} />
          </>
        ),
    },
    {
      header: t('reports.note'),
      isUnnamed: true,
      cell: ({ id, state }) =>
        state === 'done' && (
          <a className="link" href={urlOf('note', id)} download="">
            {t('reports.note')}
          </a>
        ),
    },
  ];
  return (
    <section>
      <h2>{t('reports.recent')}</h2>
      <DataTable
        caption={t('reports.recent')}
        columns={columns}
        list={usePages([EXPORTS], 'report/list', {}, { refetchInterval: 3_000 })}
        none={t('reports.none')}
      />
    </section>
  );
}
