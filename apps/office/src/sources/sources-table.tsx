import { Tag } from '@fairtick/ui';
import { durationText } from '@fairtick/ui/durations';
import { useMemo } from 'react';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { formatTime } from '../state/format.ts';
import type { Sources } from './queries.ts';
import css from './sources.module.css';

type Source = Sources['sources'][number];
/** The log's time is read over a connection, so a few ms below zero say nothing. */
const BEHIND_MS = -100;

type Use = keyof Source['ticks'];

const USES = [
  ['use', 'sources.use'],
  ['stale', 'sources.stale'],
  ['outlier', 'sources.outlier'],
  ['none', 'sources.absent'],
] as const;
const COUNTS = ['reconnects', 'gaps', 'ignored', 'refused'] as const;

/** A table of the sources with their states and figures. */
export function SourcesTable({ sources }: { sources: readonly Source[] }) {
  const { t, tag } = useText();
  const number = new Intl.NumberFormat(tag);
  const percent = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 });
  const columns: Column<Source>[] = [
    {
      id: 'source',
      header: t('sources.source'),
      cell: ({ row: { original } }) => (
        <>
          <b>{original.source}</b>
          <State source={original} />
        </>
      ),
    },
    {
      id: 'lag',
      header: t('sources.lag'),
      cell: ({ row: { original } }) =>
        original.lagP50 === null || original.lagP99 === null
          ? '–'
          : `${number.format(original.lagP50)} / ${number.format(original.lagP99)}`,
      meta: { isNumber: true },
    },
    {
      id: 'clock',
      header: t('sources.clock'),
      cell: ({ row }) => <Clock ms={row.original.clockMs} tag={tag} />,
      meta: { isNumber: true },
    },
    {
      id: 'perSecond',
      header: t('sources.perSecond'),
      cell: ({ row }) => number.format(row.original.quotesPerSecond),
      meta: { isNumber: true },
    },
    ...USES.map(
      ([use, header]): Column<Source> => ({
        id: use,
        header: t(header),
        cell: ({ row }) => shareText(row.original, use, percent),
        meta: { isNumber: true },
      }),
    ),
    ...COUNTS.map(
      (count): Column<Source> => ({
        id: count,
        header: t(`sources.${count}`),
        cell: ({ row }) => number.format(row.original[count]),
        meta: { isNumber: true },
      }),
    ),
    {
      id: 'last',
      header: t('sources.last'),
      cell: ({ row: { original } }) =>
        original.lastAt === null ? t('shell.never') : durationText(Date.now() - original.lastAt, tag),
      meta: { isNumber: true },
    },
  ];
  return (
    <DataTable
      caption={t('page.sources')}
      columns={columns}
      rows={sources}
      idOf={({ source }) => source}
      isDense
      empty={t('sources.none')}
    />
  );
}

function shareText({ ticks }: Source, use: Use, percent: Intl.NumberFormat): string {
  const all = ticks.use + ticks.stale + ticks.outlier + ticks.none;
  return all === 0 ? '–' : percent.format(ticks[use] / all);
}

function State({ source: { state } }: { source: Source }) {
  const { word } = useText();
  const name = word('sourceState', state);
  return <small>{state === 'sends' ? name : <Tag look="bad">{name}</Tag>}</small>;
}

function Clock({ ms, tag }: { ms: number | null; tag: string }) {
  const { t } = useText();
  if (ms === null) return '–';
  const text = new Intl.NumberFormat(tag, { signDisplay: 'exceptZero' }).format(ms);
  return ms <= BEHIND_MS ? (
    <span className="inline-row gap-6">
      {text} <Tag look="bad">{t('sources.behind')}</Tag>
    </span>
  ) : (
    text
  );
}

/** The last fault of each source that had one, the newest first. */
export function FaultsTable({ sources }: { sources: readonly Source[] }) {
  const { t, tag } = useText();
  const rows = useMemo(
    () => sources.filter(({ fault }) => fault !== null).sort((a, b) => (b.faultAt ?? 0) - (a.faultAt ?? 0)),
    [sources],
  );
  const columns: Column<Source>[] = [
    { id: 'source', header: t('sources.name'), cell: ({ row }) => <b>{row.original.source}</b> },
    {
      id: 'at',
      header: t('sources.faultAt'),
      cell: ({ row: { original } }) => (original.faultAt === null ? '–' : formatTime(original.faultAt, tag)),
    },
    {
      id: 'fault',
      header: t('sources.fault'),
      cell: ({ row }) => <span className={`block breaks wraps ${css.fault}`}>{row.original.fault}</span>,
    },
  ];
  return (
    <DataTable
      caption={t('sources.faults')}
      columns={columns}
      rows={rows}
      idOf={({ source }) => source}
      empty={t('sources.noFaults')}
    />
  );
}
