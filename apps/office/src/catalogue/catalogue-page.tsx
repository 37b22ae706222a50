import { Route, Switch } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { AddressTabs } from '../shell/address-tabs.tsx';
import { ChangePage } from './change-page.tsx';
import { ChangesTable } from './changes-table.tsx';
import { HaltSection } from './halt-section.tsx';
import { NewProductPage } from './new-product-page.tsx';
import { ProductPage } from './product-page.tsx';
import { ProductsTable } from './products-table.tsx';
import { ProposePage } from './propose-page.tsx';
import { symbolOf } from './queries.ts';

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
      <Route>
        <Lists />
      </Route>
    </Switch>
  );
}

function Lists() {
  const { t } = useText();
  return (
    <div className="page linked">
      <h1>{t('page.catalogue')}</h1>
      <AddressTabs
        id="catalogue"
        label={t('page.catalogue')}
        tabs={{
          products: { label: t('catalogue.products'), part: <ProductsTable /> },
          changes: { label: t('catalogue.changes'), part: <ChangesTable /> },
          halts: { label: t('catalogue.halts'), part: <HaltSection /> },
        }}
      />
    </div>
  );
}
