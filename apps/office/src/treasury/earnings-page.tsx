import { post } from '../api/client.ts';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { columnsOf, type Field, Proposals } from '../proposals/proposals.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { readable } from '../state/amounts.ts';
import { Reason, Verdict } from './parts.tsx';
import {
  type EarningChange,
  type EarningRate,
  refreshTreasury,
  useEarningChanges,
  useEarningRates,
  useEarningTotals,
} from './queries.ts';
import { rateOfPercent, ratePercent } from './rate-text.ts';
import css from './treasury.module.css';

/** Assets that can earn; a new one needs a migration. */
const ASSETS = ['USDT', 'USD', 'BTC', 'ETH'];
const DAY_MS = 86_400_000;
/** The earliest day that the database takes: a whole day lies between. */
const soonest = () => new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);

/** The table of rates, what is owed to earnings accounts, and the interest paid. A change needs two people and is never retroactive. */
export default function EarningsPage() {
  const { t, word } = useText();
  const rates = useEarningRates();
  const has = useHas();
  const terms: readonly Field<Pick<EarningRate, 'asset' | 'from' | 'annualRate'>>[] = [
    { label: t('review.asset'), column: ({ asset }) => <strong>{asset}</strong> },
    { label: t('earning.from'), show: ({ from }) => from },
    { label: t('earning.rate'), show: ({ annualRate }) => ratePercent(annualRate), isNumber: true },
  ];
  const columns: Column<EarningRate>[] = [
    ...columnsOf(terms),
    { header: t('staff.state'), cell: ({ state }) => word('rateState', state) },
    {
      header: t('earning.agreed'),
      cell: ({ isSample, changeId }) =>
        isSample ? t('earning.sample') : t('earning.change', { id: changeId ?? '' }),
    },
  ];
  const note: Field<EarningChange> = {
    label: t('staff.reason'),
    show: ({ note }) => note,
    column: ({ note }) => <Reason>{note}</Reason>,
  };
  return (
    <div className={`page ${css.page}`}>
      <div className="head">
        <h1>{t('page.earnings')}</h1>
        {has('catalogue') && <Propose rates={rates.data ?? []} />}
      </div>
      <p className="secondary measure">{t('earning.text')}</p>
      <DataTable
        caption={t('earning.rates')}
        columns={columns}
        list={rates}
        none={t('earning.none')}
        idOf={({ asset, from }) => `${asset} ${from}`}
      />
      <section>
        <h2>{t('staff.changes')}</h2>
        <Proposals
          list={useEarningChanges()}
          fields={[...terms, note]}
          now={({ asset }) => {
            const current = rates.data?.find((rate) => rate.asset === asset && rate.state === 'current');
            return current && { annualRate: current.annualRate };
          }}
          decision={({ id, asset, from, annualRate }) => ({
            subject: t('earning.changeOf', { id, asset }),
            mayRefuse: has('approver', 'catalogue'),
            approve: t('earning.approve', { rate: ratePercent(annualRate), day: from }),
            decide: (verdict) => post('earning/decide', { id, verdict }),
            refresh: refreshTreasury,
            done: t('earning.approved', { day: from }),
          })}
        />
      </section>
      <Totals />
    </div>
  );
}

function Propose({ rates }: { rates: readonly EarningRate[] }) {
  const { t } = useText();
  return (
    <FormAction
      label={t('earning.propose')}
      values={{ asset: 'USDT', percent: '', from: soonest(), note: '' }}
      inputs={() => [
        <p key="rule" className="note">
          {t('earning.rule', { day: soonest() })}
        </p>,
        {
          name: 'asset',
          label: t('review.asset'),
          choices: [...new Set([...ASSETS, ...rates.map(({ asset }) => asset)])],
        },
        { name: 'percent', label: t('earning.percent'), kind: 'amount', shown: 'annualRate' },
        { name: 'from', label: t('earning.from'), kind: 'date', min: soonest() },
        { name: 'note', label: t('staff.reason') },
      ]}
      send={({ percent, ...body }) =>
        post('earning/propose', { ...body, annualRate: rateOfPercent(percent) })
      }
      refresh={refreshTreasury}
    />
  );
}

/** The amounts owed and paid, and whether the daily accrual is up to date. */
function Totals() {
  const { t } = useText();
  const query = useEarningTotals();
  const totals = query.data?.totals;
  const columns: Column<NonNullable<typeof totals>[number]>[] = [
    { header: t('review.asset'), cell: ({ asset }) => <strong>{asset}</strong> },
    { header: t('earning.accounts'), cell: ({ accounts }) => accounts, isNumber: true },
    { header: t('earning.owed'), cell: ({ owed }) => readable(owed), isNumber: true },
    { header: t('earning.paid'), cell: ({ paid }) => readable(paid), isNumber: true },
  ];
  return (
    <section>
      <h2>{t('earning.totals')}</h2>
      <DataTable
        caption={t('earning.totals')}
        columns={columns}
        list={{ ...query, data: totals }}
        none={t('ledger.none')}
        idOf={({ asset }) => asset}
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
