import { Card, Segments } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { readable } from '../state/amounts.ts';
import css from './dashboard.module.css';
import type { House } from './queries.ts';

type Day = House['turnover'][number];

const DAY_MS = 86_400_000;
const DAYS = 14;
const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** Loads the drawing library on first use. */
const TurnoverChart = lazy(async () => ({
  default: (await untilLoaded(() => import('./turnover-chart.tsx'))).TurnoverChart,
}));

/** Stakes of each day, one asset at a time: amounts of different assets can't be added. */
export function TurnoverSection({ days, untilMs }: { days: readonly Day[]; untilMs: number }) {
  const { t, tag } = useText();
  const assets = useMemo(() => [...new Set(days.map(({ asset }) => asset))], [days]);
  const [chosen, setChosen] = useState<string | null>(null);
  const asset = chosen !== null && assets.includes(chosen) ? chosen : (assets[0] ?? null);
  const rows = useMemo(() => days.filter((day) => day.asset === asset), [days, asset]);
  const last = Math.floor(untilMs / DAY_MS);
  const bars = useMemo(() => {
    const stakes = new Map(rows.map((row) => [row.date, Number(row.stakes)]));
    const dates = Array.from({ length: DAYS }, (_, place) => dateOf(last - DAYS + 1 + place));
    return dates.map((date) => ({ date, value: stakes.get(date) ?? null }));
  }, [rows, last]);
  const number = new Intl.NumberFormat(tag);
  const columns: Column<Day>[] = [
    { header: t('dashboard.day'), cell: ({ date }) => date },
    { header: t('dashboard.orders'), cell: ({ orders }) => number.format(orders), isNumber: true },
    { header: t('dashboard.stakes'), cell: ({ stakes }) => readable(stakes), isNumber: true },
  ];
  return (
    <section className="section">
      <h2>{t('dashboard.turnover')}</h2>
      <p className="secondary">{t('dashboard.turnoverText')}</p>
      {assets.length > 1 && asset !== null && (
        <Segments
          label={t('catalogue.asset')}
          name="asset"
          value={asset}
          choices={assets.map((value) => ({ value, label: value }))}
          onChange={setChosen}
        />
      )}
      <div className={`columns-fit items-start gap-20 ${css.beside}`}>
        <Card className={css.card ?? ''}>
          <Suspense>{rows.length > 0 && <TurnoverChart bars={bars} />}</Suspense>
        </Card>
        <DataTable
          caption={t('dashboard.turnover')}
          columns={columns}
          list={rows}
          none={t('dashboard.noOrders')}
          idOf={({ date }) => date}
        />
      </div>
    </section>
  );
}
