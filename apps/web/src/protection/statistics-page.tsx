import type { Statistics, Tally } from '@fairtick/protocol';
import { buttonClass, Empty, ListIcon, Segments } from '@fairtick/ui';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import { useOnOrder } from '../live/orders.ts';
import { useText } from '../messages/text-context.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { pageOf } from '../parts/page.tsx';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { Link } from '../shell/link.tsx';
import { formatAmount, formatCount, formatShare, formatSigned } from '../state/format.ts';
import { useOwnAsset } from '../state/own-asset.ts';
import { AssetSegments } from './page-parts.tsx';
import css from './protection.module.css';
import { perHundred, verdictOf } from './statistics-model.ts';

/** `/statistics`: the results of the customer's own orders, without flattery. */
export default pageOf('protection', OwnStatistics);

const DAYS = [7, 30, 90, 365] as const;
const YEAR = 365;

/** Real money in use first; else the asset of the last settled order; null until the server has answered. */
function useFirstAsset(): string | null {
  const used = useOwnAsset();
  const isReal = used !== 'DEMO';
  const last = useAnswer('order/list', { status: 'settled', limit: 1 }, { enabled: !isReal });
  if (isReal) return used;
  return last.isPending ? null : (last.data?.items[0]?.asset ?? used);
}

function OwnStatistics() {
  const { t } = useText();
  const first = useFirstAsset();
  const [chosen, setAsset] = useState<string | null>(null);
  const asset = chosen ?? first ?? '';
  const [days, setDays] = useState('30');
  const query = useAnswer(
    'statistics/own',
    { asset, days },
    { enabled: asset !== '', refetchOnMount: 'always', placeholderData: keepPreviousData },
  );
  useOnOrder(({ status }) => status === 'settled' && void query.refetch());
  return (
    <PullToRefresh onRefresh={() => query.refetch({ throwOnError: true })}>
      <div className="page">
        <p className="secondary mt-4">{t('stats.lead')}</p>
        <div className={`columns-fit pt-16 ${css.sides} ${css.choices}`}>
          <AssetSegments name="statistics-asset" value={asset} onChange={setAsset} />
          <Segments
            label={t('stats.period')}
            name="statistics-days"
            value={days}
            onChange={setDays}
            choices={DAYS.map((count) => ({
              value: String(count),
              label: count === YEAR ? t('stats.year') : t('stats.days', { count }),
            }))}
          />
        </div>
        <Loaded query={query} waiting={<Waiting heights={[110, 200, 180]} />}>
          {(statistics) => <Results statistics={statistics} />}
        </Loaded>
        <Link href="/limits" className={`mt-24 ${buttonClass}`} data-look="line" data-block>
          {t('stats.limits')}
        </Link>
      </div>
    </PullToRefresh>
  );
}

function Results({ statistics }: { statistics: Statistics }) {
  const { t } = useText();
  const { asset } = statistics;
  if (statistics.orders === 0)
    return (
      <Empty icon={<ListIcon size={28} />} title={t('stats.empty')}>
        {t('stats.emptyHint')}
      </Empty>
    );
  return (
    <div className={`columns-fit ${css.sides}`}>
      <div>
        <section className={`card ${css.card}`}>
          <h2 className="secondary">{t('stats.result')}</h2>
          <p className={`flex items-baseline wrap gap-6 ${css.figure}`} data-testid="result">
            {formatSigned(statistics.result)}
            <small>{asset}</small>
          </p>
          <p className={`note mt-8 ${css.note}`}>
            {t('stats.ofStaked', {
              staked: `${formatAmount(statistics.staked)} ${asset}`,
              per: perHundred(statistics) ?? '–',
              asset,
            })}
          </p>
        </section>
        <Rates statistics={statistics} />
      </div>
      <div>
        <Table
          title={t('stats.byProduct')}
          name={t('stats.product')}
          rows={statistics.byProduct.map((row) => ({ key: row.symbol, ...row }))}
        />
        <Table
          title={t('stats.byCycle')}
          name={t('stats.cycle')}
          rows={[...statistics.byCycle]
            .sort((one, other) => one.minutes - other.minutes)
            .map((row) => ({ key: t('stats.minutes', { count: row.minutes }), ...row }))}
        />
        {statistics.isPartial && <p className={`note mt-8 ${css.note}`}>{t('stats.partial')}</p>}
      </div>
    </div>
  );
}

const share = (rate: string | null): string => (rate === null ? '–' : formatShare(Number(rate), 1));

/** The win rate beside the break-even rate, because neither means much alone. */
function Rates({ statistics }: { statistics: Statistics }) {
  const { t } = useText();
  const { winRate, breakEven, won, lost } = statistics;
  const verdict = verdictOf(statistics);
  return (
    <section className={`card ${css.card}`}>
      <dl className={`halves gap-12 ${css.rates}`}>
        <div>
          <dt className="secondary">{t('stats.winRate')}</dt>
          <dd>{share(winRate)}</dd>
        </div>
        <div>
          <dt className="secondary">{t('stats.breakEven')}</dt>
          <dd>{share(breakEven)}</dd>
        </div>
      </dl>
      {winRate !== null && breakEven !== null && (
        <div className={css.scale} aria-hidden="true">
          <i style={{ width: share(winRate) }} />
          <b style={{ left: share(breakEven) }} />
        </div>
      )}
      {verdict !== null && (
        <p className={`note mt-8 ${css.note}`}>{t(`stats.${verdict}`, { count: won + lost })}</p>
      )}
      <dl className={`mt-14 pt-12 line-above ${css.counts}`}>
        {(
          [
            ['stats.settled', statistics.orders],
            ['stats.won', won],
            ['stats.lost', lost],
            ['stats.even', statistics.none],
            ['stats.open', statistics.open],
          ] as const
        ).map(([name, count]) => (
          <div key={name}>
            <dt className="text-11 ink-3">{t(name)}</dt>
            <dd>{formatCount(count)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const SHOWN = 10;

function Table(props: { title: string; name: string; rows: readonly (Tally & { key: string })[] }) {
  const { title, name, rows } = props;
  const { t } = useText();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, SHOWN);
  return (
    <section className="mt-24">
      <div className={css.head}>
        <h2>{title}</h2>
      </div>
      <div className="card lined clip">
        <table className={`full ${css.table}`}>
          <thead>
            <tr>
              <th scope="col">{name}</th>
              <th scope="col">{t('stats.orders')}</th>
              <th scope="col">{t('stats.winRate')}</th>
              <th scope="col">{t('stats.result')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.key}>
                <th scope="row">{row.key}</th>
                <td>{formatCount(row.orders)}</td>
                <td>{share(row.winRate)}</td>
                <td translate="no">{formatSigned(row.result)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {shown.length < rows.length && (
          <button
            type="button"
            className={`block full py-14 px-16 text-left ${css.row}`}
            onClick={() => setWhole(true)}
          >
            {t('stats.more', { count: rows.length - shown.length })}
          </button>
        )}
      </div>
    </section>
  );
}
