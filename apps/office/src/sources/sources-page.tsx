import { Card } from '@fairtick/ui';
import { Link } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { formatTime } from '../state/format.ts';
import { ProductsTable } from './products-table.tsx';
import { type Sources, useSources } from './queries.ts';
import css from './sources.module.css';
import { FaultsTable, SourcesTable } from './sources-table.tsx';

/** The live sources of prices: what each does now, its last fault, and which products depend on how many. */
export default function SourcesPage() {
  const { t } = useText();
  const query = useSources();
  const { data } = query;
  return (
    <div className="page linked gap-20">
      <header className="head">
        <h1>{t('page.sources')}</h1>
        <span className="secondary">
          {data?.at != null && t('dashboard.asOf', { time: formatTime(data.at) })}
          {!data && t(query.isError ? 'shell.networkError' : 'shell.loading')}
          {data && query.isError && ` · ${t('shell.networkError')}`}
        </span>
      </header>
      {data && (data.at === null ? <None feed={data.feed} /> : <Figures data={data} />)}
    </div>
  );
}

function None({ feed }: Pick<Sources, 'feed'>) {
  const { t } = useText();
  const id = feed === 'live' ? 'sources.none' : feed === 'replay' ? 'sources.replay' : 'sources.simulated';
  return (
    <Card className={css.none ?? ''}>
      <p>{t(id)}</p>
      {feed !== 'live' && (
        <p>
          <Link href="~/catalogue">{t('page.catalogue')}</Link>
        </p>
      )}
    </Card>
  );
}

function Figures({ data }: { data: Sources }) {
  const { t } = useText();
  return (
    <>
      <section className="section">
        <p className="secondary">{t('sources.text')}</p>
        <SourcesTable sources={data.sources} />
        <p className="secondary">{t('sources.clockText')}</p>
      </section>
      <div className={`columns-fit items-start gap-20 ${css.beside}`}>
        <section className="section">
          <h2>{t('sources.products')}</h2>
          <p className="secondary">{t('sources.productsText')}</p>
          <ProductsTable products={data.products} />
        </section>
        <section className="section">
          <h2>{t('sources.faults')}</h2>
          <FaultsTable sources={data.sources} />
        </section>
      </div>
    </>
  );
}
