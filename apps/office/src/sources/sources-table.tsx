import { Tag } from '@fairtick/ui';
import { durationText } from '@fairtick/ui/durations';
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
      header: t('sources.source'),
      cell: (row) => (
        <>
          <b>{row.source}</b>
          <State source={row} />
        </>
      ),
    },
    {
      header: t('sources.lag'),
      cell: ({ lagP50, lagP99 }) =>
        lagP50 === null || lagP99 === null ? '–' : `${number.format(lagP50)} / ${number.format(lagP99)}`,
      isNumber: true,
    },
    { header: t('sources.clock'), cell: ({ clockMs }) => <Clock ms={clockMs} tag={tag} />, isNumber: true },
    {
      header: t('sources.perSecond'),
      cell: ({ quotesPerSecond }) => number.format(quotesPerSecond),
      isNumber: true,
    },
    ...USES.map(
      ([use, header]): Column<Source> => ({
        header: t(header),
        cell: (row) => shareText(row, use, percent),
        isNumber: true,
      }),
    ),
    ...COUNTS.map(
      (count): Column<Source> => ({
        header: t(`sources.${count}`),
        cell: (row) => number.format(row[count]),
        isNumber: true,
      }),
    ),
    {
      header: t('sources.last'),
      cell: ({ lastAt }) => (lastAt === null ? t('shell.never') : durationText(Date.now() - lastAt, tag)),
      isNumber: true,
    },
  ];
  return (
    <DataTable
      caption={t('page.sources')}
      columns={columns}
      list={sources}
      none={t('sources.none')}
      idOf={({ source }) => source}
      isDense
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
  const { t } = useText();
  const rows = sources
    .filter(({ fault }) => fault !== null)
    .sort((a, b) => (b.faultAt ?? 0) - (a.faultAt ?? 0));
  const columns: Column<Source>[] = [
    { header: t('sources.name'), cell: ({ source }) => <b>{source}</b> },
    {
      header: t('sources.faultAt'),
      cell: ({ faultAt }) => (faultAt === null ? '–' : formatTime(faultAt)),
    },
    {
      header: t('sources.fault'),
      cell: ({ fault }) => <span className={`block breaks wraps ${css.fault}`}>{fault}</span>,
    },
  ];
  return (
    <DataTable
      caption={t('sources.faults')}
      columns={columns}
      list={rows}
      none={t('sources.noFaults')}
      idOf={({ source }) => source}
    />
  );
}
