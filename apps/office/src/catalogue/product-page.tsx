import { Card, Notice } from '@fairtick/ui';
import { Link } from 'wouter';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { grouped, readable } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { percentOf } from '../state/rates.ts';
import css from './catalogue.module.css';
import { DifferenceText, dayName } from './difference-text.tsx';
import { Fact, Facts } from './facts.tsx';
import { ProductHalt } from './halt-section.tsx';
import { LicencedSources } from './licenced-sources.tsx';
import { ProductState } from './products-table.tsx';
import { datesOf, stepsOf } from './propose-model.ts';
import { type ProductDetail, pathOf, type Rules, useProduct, useProducts } from './queries.ts';

/** Shows a product: its current, earlier and later rules. */
export function ProductPage({ symbol }: { symbol: string }) {
  const { t } = useText();
  const has = useHas();
  const product = useProduct(symbol);
  const { data } = product;
  return (
    <div className={`page linked ${css.page}`}>
      <p>
        <Link href="/">← {t('catalogue.products')}</Link>
      </p>
      <header className="head">
        <h1>
          {data && `${data.name} `}
          <span className={data && css.quiet}>{symbol}</span>
        </h1>
        {has('catalogue') && data?.rules && (
          <Link className={css.action} href={`/propose/${pathOf(symbol)}`}>
            {t('catalogue.propose')}
          </Link>
        )}
      </header>
      <Loaded query={product}>{(known) => <Known product={known} />}</Loaded>
    </div>
  );
}

function Known({ product }: { product: ProductDetail }) {
  const { t, word } = useText();
  const { rules, rulesHash } = product;
  return (
    <>
      <Proposed symbol={product.symbol} />
      <Card className={css.card ?? ''}>
        <Facts>
          <Fact name={t('catalogue.state')}>
            <ProductState product={product} isLong />
          </Fact>
          <Fact name={t('catalogue.class')}>{word('class', product.assetClass)}</Fact>
          <Fact name={t('catalogue.group')}>{product.group}</Fact>
          <Fact name={t('catalogue.decimals')}>{product.decimals}</Fact>
          {rulesHash !== null && (
            <Fact name={t('catalogue.rulesHash')}>
              <code>{rulesHash}</code>
            </Fact>
          )}
        </Facts>
      </Card>
      <ProductHalt symbol={product.symbol} />
      {rules && (
        <>
          <RulesCards rules={rules} />
          <h2>{t('catalogue.limits')}</h2>
          <LimitsTable rules={rules} />
        </>
      )}
      <h2>{t('catalogue.history')}</h2>
      <HistoryTable versions={product.history} />
    </>
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

function Windows({ rules }: { rules: Rules }) {
  const text = useText();
  if (rules.schedule.windows.length === 0) return text.t('catalogue.roundTheClock');
  return rules.schedule.windows.map(({ days, from, to }) => (
    <span key={`${days.join('')}${from}`} className="block">
      {days.map((day) => dayName(day, text)).join(' ')} {from}–{to}
    </span>
  ));
}

function PayoutTable({ rules }: { rules: Rules }) {
  const { t } = useText();
  const columns: Column<Rules['cycles'][number]>[] = [
    { header: t('catalogue.minutes'), cell: ({ minutes }) => minutes },
    { header: t('catalogue.rate'), cell: ({ payoutRate }) => `${percentOf(payoutRate)}%`, isNumber: true },
    {
      header: t('catalogue.edge'),
      // The house's expected share of a stake when up and down are equally likely.
      cell: ({ payoutRate }) => `${(((1 - Number(payoutRate)) / 2) * 100).toFixed(2)}%`,
      isNumber: true,
    },
  ];
  return (
    <DataTable
      caption={t('catalogue.payouts')}
      columns={columns}
      list={rules.cycles}
      none={t('catalogue.none')}
      idOf={({ minutes }) => String(minutes)}
    />
  );
}

function LimitsTable({ rules }: { rules: Rules }) {
  const { t } = useText();
  const columns: Column<Rules['limits'][number]>[] = [
    { header: t('catalogue.asset'), cell: ({ asset }) => asset },
    { header: t('part.minBalance'), cell: ({ minBalance }) => readable(minBalance), isNumber: true },
    { header: t('part.minPurchase'), cell: ({ minPurchase }) => readable(minPurchase), isNumber: true },
    ...stepsOf(rules.limits).map(
      (minutes): Column<Rules['limits'][number]> => ({
        header: t('catalogue.maxUpTo', { minutes }),
        cell: ({ max }) => {
          const step = max.find(({ upToMinutes }) => upToMinutes === minutes);
          return step ? readable(step.amount) : t('shell.unknown');
        },
        isNumber: true,
      }),
    ),
  ];
  return (
    <DataTable
      caption={t('catalogue.limits')}
      columns={columns}
      list={rules.limits}
      none={t('catalogue.none')}
      idOf={({ asset }) => asset}
    />
  );
}

function HistoryTable({ versions }: { versions: ProductDetail['history'] }) {
  const { t, word } = useText();
  const columns: Column<ProductDetail['history'][number]>[] = [
    { header: t('catalogue.from'), cell: ({ effectiveAt }) => formatTime(effectiveAt) },
    { header: t('catalogue.state'), cell: ({ state }) => word('version', state) },
    {
      header: t('catalogue.differs'),
      cell: ({ differences }) => (
        <span className={css.wrap}>
          {differences.length === 0
            ? t('catalogue.first')
            : differences.map((difference) => (
                <span key={difference.path} className="block">
                  <DifferenceText {...difference} />
                </span>
              ))}
        </span>
      ),
    },
    {
      header: t('catalogue.cause'),
      cell: ({ changeId }) =>
        changeId === null ? (
          t('catalogue.byFeed')
        ) : (
          <Link href={`/change/${changeId}`}>{t('catalogue.changeNumber', { id: changeId })}</Link>
        ),
    },
    { header: t('catalogue.logIndex'), cell: ({ index }) => index, isNumber: true },
    { header: t('catalogue.rulesHash'), cell: ({ hash }) => <code>{hash.slice(0, 16)}…</code> },
  ];
  return (
    <DataTable
      caption={t('catalogue.history')}
      columns={columns}
      list={versions}
      none={t('catalogue.none')}
      idOf={({ index }) => String(index)}
    />
  );
}
