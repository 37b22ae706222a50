import type { OfficeData } from '@fairtick/protocol/office';
import { get } from '../api/client.ts';
import { useMe, usePages } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Copy } from '../shell/code-text.tsx';
import { type Column, DataTable, More, useEmptyText } from '../shell/data-table.tsx';
import { formatTime } from '../state/format.ts';
import { urlOf } from './fetch-file.ts';

type Export = OfficeData<'report/list'>['items'][number];

export const EXPORTS = ['reports'] as const;
/** Interval at which the states of exports are fetched, ms. */
const LIVE_MS = 3_000;
/** Letters shown of a hash: enough to tell two apart. */
const HASH_LETTERS = 8;

/** All exports, newest first: what was made, by whom and why, its hash and its signed note. */
export function ExportsTable() {
  const { t, word, tag } = useText();
  const { data: me } = useMe();
  const list = usePages(EXPORTS, (page, signal) => get('report/list', page, signal), LIVE_MS);
  const columns: Column<Export>[] = [
    { id: 'id', header: t('ledger.number'), cell: ({ row }) => row.original.id, meta: { isNumber: true } },
    {
      id: 'report',
      header: t('reports.report'),
      cell: ({ row: { original } }) =>
        `${word('report', original.report)} (${original.format.toUpperCase()})`,
    },
    {
      id: 'period',
      header: t('reports.period'),
      cell: ({ row: { original } }) => (
        <span>
          {formatTime(original.since, tag)}
          <br />
          {formatTime(original.until, tag)}
        </span>
      ),
    },
    {
      id: 'by',
      header: t('reconciliation.by'),
      cell: ({ row: { original } }) => (
        <span>
          {original.orderedBy?.name ?? t('reports.command')}
          <br />
          <span className="note">{formatTime(original.orderedAt, tag)}</span>
        </span>
      ),
    },
    { id: 'reason', header: t('staff.reason'), cell: ({ row }) => row.original.reason },
    {
      id: 'state',
      header: t('staff.state'),
      cell: ({ row: { original } }) =>
        original.state === 'ordered' && original.orderedBy?.id === me?.id ? (
          <a className="link" href={urlOf('file', original.id)} download="">
            {t('reports.fetch')}
          </a>
        ) : (
          word('exportState', original.state)
        ),
    },
    {
      id: 'rows',
      header: t('reports.rows'),
      cell: ({ row }) => row.original.rows,
      meta: { isNumber: true },
    },
    {
      id: 'hash',
      header: t('reports.hash'),
      cell: ({ row: { original } }) =>
        original.sha256 && (
          <>
            <code>{original.sha256.slice(0, HASH_LETTERS)}…</code> <Copy text={original.sha256} />
          </>
        ),
    },
    {
      id: 'note',
      header: () => <span className="sr">{t('reports.note')}</span>,
      cell: ({ row: { original } }) =>
        original.state === 'done' && (
          <a className="link" href={urlOf('note', original.id)} download="">
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
        rows={list.rows}
        idOf={({ id }) => id}
        empty={useEmptyText(list, t('reports.none'))}
      />
      <More query={list} />
    </section>
  );
}
