import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { readable } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import css from './dashboard.module.css';
import type { House } from './queries.ts';

type Exposure = House['exposure'][number];

/** The most that the house can lose in one minute, against its limit. */
export function ExposureSection({ rows }: { rows: readonly Exposure[] }) {
  const { t, tag } = useText();
  const percent = new Intl.NumberFormat(tag, { style: 'percent', minimumFractionDigits: 2 });
  const columns: Column<Exposure>[] = [
    {
      id: 'scope',
      header: t('dashboard.scope'),
      cell: ({ row: { original } }) =>
        original.isGroup ? t('dashboard.groupOf', { name: original.scope }) : <b>{original.scope}</b>,
    },
    { id: 'asset', header: t('catalogue.asset'), cell: ({ row }) => row.original.asset },
    {
      id: 'minute',
      header: t('dashboard.minute'),
      cell: ({ row }) => formatTime(row.original.minuteAt, tag),
    },
    {
      id: 'loss',
      header: t('dashboard.worstLoss'),
      cell: ({ row }) => readable(row.original.worstLoss),
      meta: { isNumber: true },
    },
    {
      id: 'limit',
      header: t('dashboard.limit'),
      cell: ({ row }) => readable(row.original.limit),
      meta: { isNumber: true },
    },
    {
      id: 'used',
      header: t('dashboard.used'),
      cell: ({ row: { original } }) => (
        <span className="inline-row gap-10">
          {percent.format(original.usedBps / 10_000)}
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" className={css.bar}>
            <rect className={css.track} width="100" height="8" rx="1" />
            <rect className={css.fill} width={Math.min(100, original.usedBps / 100)} height="8" rx="1" />
          </svg>
        </span>
      ),
      meta: { isNumber: true },
    },
  ];
  return (
    <section className="section">
      <h2>{t('dashboard.exposure')}</h2>
      <p className="secondary">{t('dashboard.exposureText')}</p>
      <DataTable
        caption={t('dashboard.exposure')}
        columns={columns}
        rows={rows}
        idOf={({ scope, isGroup, asset }) => `${isGroup}${scope}${asset}`}
        empty={t('dashboard.noExposure')}
      />
    </section>
  );
}
