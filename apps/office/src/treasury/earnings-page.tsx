import { useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { useMayDecide } from '../proposals/rights.ts';
import { type Column, DataTable, useEmptyText } from '../shell/data-table.tsx';
import { Action } from '../shell/form.tsx';
import { readable } from '../state/amounts.ts';
import { EarningChanges } from './earning-changes.tsx';
import { Verdict } from './parts.tsx';
import { ProposeRate } from './propose-rate.tsx';
import { type EarningRate, useEarningRates, useEarningTotals } from './queries.ts';
import { ratePercent } from './rate-text.ts';
import css from './treasury.module.css';

const NO_RATES: readonly EarningRate[] = [];

/**
 * The table of rates (a change needs two people and is never retroactive), what is owed to earnings accounts, and the interest
 * paid.
 */
export default function EarningsPage() {
  const { t } = useText();
  const rates = useEarningRates();
  const { mayProposeRate } = useMayDecide();
  const [isProposing, setProposing] = useState(false);
  return (
    <div className={`page ${css.page}`}>
      <div className="head">
        <h1>{t('page.earnings')}</h1>
        {mayProposeRate && <Action onClick={() => setProposing(true)}>{t('earning.propose')}</Action>}
      </div>
      <p className="secondary measure">{t('earning.text')}</p>
      <RateTable rates={rates.data ?? NO_RATES} empty={useEmptyText(rates, t('earning.none'))} />
      <EarningChanges rates={rates.data ?? NO_RATES} />
      <Totals />
      <ProposeRate isOpen={isProposing} onClose={() => setProposing(false)} rates={rates.data ?? NO_RATES} />
    </div>
  );
}

function RateTable({ rates, empty }: { rates: readonly EarningRate[]; empty: string }) {
  const { t, word } = useText();
  const columns: Column<EarningRate>[] = [
    { id: 'asset', header: t('review.asset'), cell: ({ row }) => <strong>{row.original.asset}</strong> },
    { id: 'from', header: t('earning.from'), cell: ({ row }) => row.original.from },
    {
      id: 'rate',
      header: t('earning.rate'),
      cell: ({ row }) => ratePercent(row.original.annualRate),
      meta: { isNumber: true },
    },
    { id: 'state', header: t('staff.state'), cell: ({ row }) => word('rateState', row.original.state) },
    {
      id: 'by',
      header: t('earning.agreed'),
      cell: ({ row: { original } }) =>
        original.isSample ? t('earning.sample') : t('earning.change', { id: original.changeId ?? '' }),
    },
  ];
  return (
    <DataTable
      caption={t('earning.rates')}
      columns={columns}
      rows={rates}
      idOf={({ asset, from }) => `${asset} ${from}`}
      empty={empty}
    />
  );
}

/** The amounts owed and paid, and whether the daily accrual is up to date. */
function Totals() {
  const { t } = useText();
  const query = useEarningTotals();
  const totals = query.data?.totals ?? [];
  type Total = (typeof totals)[number];
  const columns: Column<Total>[] = [
    { id: 'asset', header: t('review.asset'), cell: ({ row }) => <strong>{row.original.asset}</strong> },
    {
      id: 'accounts',
      header: t('earning.accounts'),
      cell: ({ row }) => row.original.accounts,
      meta: { isNumber: true },
    },
    {
      id: 'owed',
      header: t('earning.owed'),
      cell: ({ row }) => readable(row.original.owed),
      meta: { isNumber: true },
    },
    {
      id: 'paid',
      header: t('earning.paid'),
      cell: ({ row }) => readable(row.original.paid),
      meta: { isNumber: true },
    },
  ];
  return (
    <section>
      <h2>{t('earning.totals')}</h2>
      <DataTable
        caption={t('earning.totals')}
        columns={columns}
        rows={totals}
        idOf={({ asset }) => asset}
        empty={useEmptyText(query, t('ledger.none'))}
      />
      {query.data && (
        <p>
          <Verdict isRight={query.data.isUpToDate}>
            {t(query.data.isUpToDate ? 'earning.upToDate' : 'earning.behind', { day: query.data.day })}
          </Verdict>
        </p>
      )}
    </section>
  );
}
