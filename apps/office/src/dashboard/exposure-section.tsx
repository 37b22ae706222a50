import { Link } from 'wouter';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { readable } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import css from './dashboard.module.css';
import type { House } from './queries.ts';

type Exposure = House['exposure'][number];

/** The most that the house can lose in one minute, against its limit. */
export function ExposureSection({
  rows,
  customers,
}: {
  rows: readonly Exposure[];
  customers: House['customers'];
}) {
  const { t, tag } = useText();
  const mayOpen = useHas()('support', 'cashier', 'approver', 'auditor');
  const ofCustomers: Column<House['customers'][number]>[] = [
    {
      header: t('review.customer'),
      cell: ({ id }) =>
        mayOpen ? (
          <Link className="opens" href={`~/customers/${id}`}>
            {id}
          </Link>
        ) : (
          id
        ),
    },
    { header: t('catalogue.asset'), cell: ({ asset }) => asset },
    {
      header: t('dashboard.orders'),
      cell: ({ orders }) => new Intl.NumberFormat(tag).format(orders),
      isNumber: true,
    },
    { header: t('dashboard.worstLoss'), cell: ({ worstLoss }) => readable(worstLoss), isNumber: true },
  ];
  const percent = new Intl.NumberFormat(tag, { style: 'percent', minimumFractionDigits: 2 });
  const columns: Column<Exposure>[] = [
    {
      header: t('dashboard.scope'),
      cell: ({ isGroup, scope }) => (isGroup ? t('dashboard.groupOf', { name: scope }) : <b>{scope}</b>),
    },
    { header: t('catalogue.asset'), cell: ({ asset }) => asset },
    { header: t('dashboard.minute'), cell: ({ minuteAt }) => formatTime(minuteAt) },
    { header: t('dashboard.worstLoss'), cell: ({ worstLoss }) => readable(worstLoss), isNumber: true },
    { header: t('dashboard.limit'), cell: ({ limit }) => readable(limit), isNumber: true },
    {
      header: t('dashboard.used'),
      cell: ({ usedBps }) => (
        <span className="inline-row gap-10">
          {percent.format(usedBps / 10_000)}
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" className={css.bar}>
            <rect className={css.track} width="100" height="8" rx="1" />
            <rect className={css.fill} width={Math.min(100, usedBps / 100)} height="8" rx="1" />
          </svg>
        </span>
      ),
      isNumber: true,
    },
  ];
  return (
    <section className="section">
      <h2>{t('dashboard.exposure')}</h2>
      <p className="secondary">{t('dashboard.exposureText')}</p>
      <DataTable
        caption={t('dashboard.exposure')}
        columns={columns}
        list={rows}
        none={t('dashboard.noExposure')}
        idOf={({ scope, isGroup, asset }) => `${isGroup}${scope}${asset}`}
      />
      <h3>{t('dashboard.byCustomer')}</h3>
      <p className="secondary">{t('dashboard.byCustomerText')}</p>
      <DataTable
        caption={t('dashboard.byCustomer')}
        columns={ofCustomers}
        list={customers}
        none={t('dashboard.noExposure')}
        idOf={({ id, asset }) => `${id}${asset}`}
      />
    </section>
  );
}
