import { Tabs } from '@fairtick/ui';
import { Route, Switch, useLocation } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { ChangePage } from './change-page.tsx';
import { ChangesTable } from './changes-table.tsx';
import { HaltSection } from './halt-section.tsx';
import { NewProductPage } from './new-product-page.tsx';
import { ProductPage } from './product-page.tsx';
import { ProductsTable } from './products-table.tsx';
import { ProposePage } from './propose-page.tsx';
import { symbolOf } from './queries.ts';

const TABS = ['products', 'changes', 'halts'] as const;
type TabName = (typeof TABS)[number];

/** Products and their rules: current, past and proposed. */
export default function CataloguePage() {
  return (
    <Switch>
      <Route path="/product/:symbol">{({ symbol }) => <ProductPage symbol={symbolOf(symbol)} />}</Route>
      <Route path="/change/:id">{({ id }) => <ChangePage id={id} />}</Route>
      <Route path="/propose/:symbol">{({ symbol }) => <ProposePage symbol={symbolOf(symbol)} />}</Route>
      <Route path="/new">
        <NewProductPage />
      </Route>
      <Route path="/:tab?">
        {({ tab }) => <Lists tab={TABS.find((name) => name === tab) ?? 'products'} />}
      </Route>
    </Switch>
  );
}

function Lists({ tab }: { tab: TabName }) {
  const { t } = useText();
  const [, go] = useLocation();
  return (
    <div className="page linked">
      <h1>{t('page.catalogue')}</h1>
      <Tabs
        id="catalogue"
        label={t('page.catalogue')}
        value={tab}
        tabs={TABS.map((value) => ({ value, label: t(`catalogue.${value}`) }))}
        onChange={(value) => go(value === 'products' ? '/' : `/${value}`)}
      />
      <section role="tabpanel" aria-labelledby={`catalogue-${tab}`} className="panel">
        {tab === 'products' && <ProductsTable />}
        {tab === 'changes' && <ChangesTable />}
        {tab === 'halts' && <HaltSection />}
      </section>
    </div>
  );
}
