import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { readable } from '../state/amounts.ts';
import type { House } from './queries.ts';

type Day = House['money'][number];

/** The house's result with orders, and customers' money in and out, of each day and asset. */
export function MoneySection({ days }: { days: readonly Day[] }) {
  const { t } = useText();
  const columns: Column<Day>[] = [
    { header: t('dashboard.day'), cell: ({ date }) => date },
    { header: t('catalogue.asset'), cell: ({ asset }) => asset },
    ...(['result', 'paidIn', 'paidOut'] as const).map(
      (name): Column<Day> => ({
        header: t(`dashboard.${name}`),
        cell: (day) => readable(day[name]),
        isNumber: true,
      }),
    ),
  ];
  return (
    <section className="section">
      <h2>{t('dashboard.money')}</h2>
      <p className="secondary">{t('dashboard.moneyText')}</p>
      <DataTable
        caption={t('dashboard.money')}
        columns={columns}
        list={days}
        none={t('dashboard.noOrders')}
        idOf={({ date, asset }) => `${date}${asset}`}
      />
    </section>
  );
}
