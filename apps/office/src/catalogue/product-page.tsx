import { Card, Notice } from '@fairtick/ui';
import { Link } from 'wouter';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { grouped, readable } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import css from './catalogue.module.css';
import { DifferenceText } from './difference-text.tsx';
import { Fact, Facts } from './facts.tsx';
import { LicencedSources } from './licenced-sources.tsx';
import { ProductState } from './products-table.tsx';
import { datesOf, stepsOf } from './propose-model.ts';
import { type ProductDetail, pathOf, type Rules, useProduct, useProducts } from './queries.ts';
import { percentOf } from './rates.ts';

type Version = ProductDetail['history'][number];

/** Shows a product: its current, earlier and later rules. */
export function ProductPage({ symbol }: { symbol: string }) {
  const { t, word, tag } = useText();
  const me = useMe().data;
  const product = useProduct(symbol);
  const mayPropose = me?.roles.some(({ role }) => role === 'catalogue') ?? false;
  return (
    <div className={`page linked ${css.page}`}>
      <p>
        <Link href="/">← {t('catalogue.products')}</Link>
      </p>
      <header className="head">
        <h1>
          {product.data && `${product.data.name} `}
          <span className={product.data && css.quiet}>{symbol}</span>
        </h1>
        {mayPropose && product.data?.rules && (
          <Link className={css.action} href={`/propose/${pathOf(symbol)}`}>
            {t('catalogue.propose')}
          </Link>
        )}
      </header>
      {product.data === undefined ? (
        <p role="status">{t(product.isError ? 'shell.networkError' : 'shell.loading')}</p>
      ) : (
        <>
          <Proposed symbol={symbol} />
          <Card className={css.card ?? ''}>
            <Facts>
              <Fact name={t('catalogue.state')}>
                <ProductState product={product.data} tag={tag} />
              </Fact>
              <Fact name={t('catalogue.class')}>{word('class', product.data.assetClass)}</Fact>
              <Fact name={t('catalogue.group')}>{product.data.group}</Fact>
              <Fact name={t('catalogue.decimals')}>{product.data.decimals}</Fact>
              {product.data.rulesHash !== null && (
                <Fact name={t('catalogue.rulesHash')}>
                  <code>{product.data.rulesHash}</code>
                </Fact>
              )}
            </Facts>
          </Card>
          {product.data.rules && (
            <>
              <RulesCards rules={product.data.rules} />
              <h2>{t('catalogue.limits')}</h2>
              <LimitsTable rules={product.data.rules} />
            </>
          )}
          <h2>{t('catalogue.history')}</h2>
          <HistoryTable versions={product.data.history} />
        </>
      )}
    </div>
  );
}

/** Says that changes of the product's rules wait for approval, and leads to them. */
function Proposed({ symbol }: { symbol: string }) {
  const { t } = useText();
  const n = useProducts().data?.find((product) => product.symbol === symbol)?.proposed ?? 0;
  if (n === 0) return null;
  return (
    <Notice look="warn">
      <Link href="/changes">{t('catalogue.waits', { n })}</Link>
    </Notice>
  );
}

function RulesCards({ rules }: { rules: Rules }) {
  const { t } = useText();
  const dates = datesOf(rules.schedule);
  return (
    <div className="halves gap-24">
      <section className="panel">
        <h2>{t('catalogue.payouts')}</h2>
        <PayoutTable rules={rules} />
      </section>
      <section className="panel">
        <h2>{t('catalogue.prices')}</h2>
        <Card className={css.card ?? ''}>
          <Facts>
            <Fact name={t('part.sources')}>
              <LicencedSources rules={rules} />
            </Fact>
            <Fact name={t('part.quorum')}>{rules.quorum}</Fact>
            <Fact name={t('part.quietMs')}>{grouped(String(rules.quietMs))}</Fact>
            <Fact name={t('part.waitMs')}>{grouped(String(rules.waitMs))}</Fact>
            <Fact name={t('catalogue.outlier')}>{`${(rules.outlierBps / 100).toFixed(2)}%`}</Fact>
            <Fact name={t('part.delayMs')}>{grouped(String(rules.delayMs))}</Fact>
          </Facts>
        </Card>
        <h2>{t('catalogue.sessions')}</h2>
        <Card className={css.card ?? ''}>
          <Facts>
            <Fact name={t('part.zone')}>{rules.schedule.zone}</Fact>
            <Fact name={t('part.windows')}>
              <Windows rules={rules} />
            </Fact>
            {rules.schedule.until !== undefined && <Fact name={t('part.until')}>{rules.schedule.until}</Fact>}
            <Fact name={t('part.holidays')}>
              {dates.length === 0
                ? t('catalogue.noHolidays')
                : dates.map(({ date, windows }) => (
                    <span key={date} className={css.date}>
                      {[date, ...windows.map(({ from, to }) => `${from}–${to}`)].join(' ')}
                    </span>
                  ))}
            </Fact>
          </Facts>
        </Card>
      </section>
    </div>
  );
}

/** Day 1 is Monday; days are named in the reader's language. */
function Windows({ rules }: { rules: Rules }) {
  const { t, tag } = useText();
  const format = new Intl.DateTimeFormat(tag, { weekday: 'short', timeZone: 'UTC' });
  // 5 January 2026 was a Monday.
  const dayName = (day: number) => format.format(Date.UTC(2026, 0, 4 + day));
  if (rules.schedule.windows.length === 0) return t('catalogue.roundTheClock');
  return rules.schedule.windows.map(({ days, from, to }) => (
    <span key={`${days.join('')}${from}`} className="block">
      {days.map(dayName).join(' ')} {from}–{to}
    </span>
  ));
}

type Cycle = Rules['cycles'][number];
function PayoutTable({ rules }: { rules: Rules }) {
  const { t } = useText();
  const columns: Column<Cycle>[] = [
    {
      id: 'minutes',
      header: t('catalogue.minutes'),
      cell: ({ row }) => row.original.minutes,
    },
    {
      id: 'rate',
      header: t('catalogue.rate'),
      cell: ({ row }) => `${percentOf(row.original.payoutRate)}%`,
      meta: { isNumber: true },
    },
    {
      id: 'edge',
      header: t('catalogue.edge'),
      // The house's expected share of a stake when up and down are equally likely.
      cell: ({ row }) => `${(((1 - Number(row.original.payoutRate)) / 2) * 100).toFixed(2)}%`,
      meta: { isNumber: true },
    },
  ];
  return (
    <DataTable
      caption={t('catalogue.payouts')}
      columns={columns}
      rows={rules.cycles}
      idOf={({ minutes }) => String(minutes)}
      empty={t('catalogue.none')}
    />
  );
}

type Limit = Rules['limits'][number];
function LimitsTable({ rules }: { rules: Rules }) {
  const { t } = useText();
  const columns: Column<Limit>[] = [
    { id: 'asset', header: t('catalogue.asset'), cell: ({ row }) => row.original.asset },
    {
      id: 'balance',
      header: t('part.minBalance'),
      cell: ({ row }) => readable(row.original.minBalance),
      meta: { isNumber: true },
    },
    {
      id: 'least',
      header: t('part.minPurchase'),
      cell: ({ row }) => readable(row.original.minPurchase),
      meta: { isNumber: true },
    },
    ...stepsOf(rules.limits).map((minutes): Column<Limit> => {
      const amountIn = ({ max }: Limit) => max.find(({ upToMinutes }) => upToMinutes === minutes)?.amount;
      return {
        id: `most${minutes}`,
        header: t('catalogue.maxUpTo', { minutes }),
        cell: ({ row }) => {
          const amount = amountIn(row.original);
          return amount === undefined ? t('shell.unknown') : readable(amount);
        },
        meta: { isNumber: true },
      };
    }),
  ];
  return (
    <DataTable
      caption={t('catalogue.limits')}
      columns={columns}
      rows={rules.limits}
      idOf={({ asset }) => asset}
      empty={t('catalogue.none')}
    />
  );
}

function HistoryTable({ versions }: { versions: readonly Version[] }) {
  const { t, word, tag } = useText();
  const columns: Column<Version>[] = [
    { id: 'from', header: t('catalogue.from'), cell: ({ row }) => formatTime(row.original.effectiveAt, tag) },
    { id: 'state', header: t('catalogue.state'), cell: ({ row }) => word('version', row.original.state) },
    {
      id: 'differs',
      header: t('catalogue.differs'),
      cell: ({ row: { original } }) => (
        <span className={css.wrap}>
          {original.differences.length === 0
            ? t('catalogue.first')
            : original.differences.map((difference) => (
                <span key={difference.path} className="block">
                  <DifferenceText {...difference} />
                </span>
              ))}
        </span>
      ),
    },
    {
      id: 'cause',
      header: t('catalogue.cause'),
      cell: ({ row: { original } }) =>
        original.changeId === null ? (
          t('catalogue.byFeed')
        ) : (
          <Link href={`/change/${original.changeId}`}>
            {t('catalogue.changeNumber', { id: original.changeId })}
          </Link>
        ),
    },
    {
      id: 'index',
      header: t('catalogue.logIndex'),
      cell: ({ row }) => row.original.index,
      meta: { isNumber: true },
    },
    {
      id: 'hash',
      header: t('catalogue.rulesHash'),
      cell: ({ row }) => <code>{row.original.hash.slice(0, 16)}…</code>,
    },
  ];
  return (
    <DataTable
      caption={t('catalogue.history')}
      columns={columns}
      rows={versions}
      idOf={({ index }) => String(index)}
      empty={t('catalogue.none')}
    />
  );
}
