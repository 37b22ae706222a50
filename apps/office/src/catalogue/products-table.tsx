import { closedText } from '@fairtick/protocol/product-state';
import { ProductState as State, Tag } from '@fairtick/ui';
import { groupBy } from '@fairtick/ui/group-by';
import { searchProducts } from '@fairtick/ui/search-products';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { SelectField, TextField } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { percentOf } from '../state/rates.ts';
import css from './catalogue.module.css';
import { type ListedProduct, pathOf, useProducts } from './queries.ts';

export const CLASSES = ['forex', 'energy', 'metal', 'index', 'stock', 'crypto'] as const;

/** All products with their current rules. */
export function ProductsTable() {
  const { t, word } = useText();
  const [, go] = useLocation();
  const has = useHas();
  const [search, setSearch] = useState('');
  const [assetClass, setClass] = useState('');
  const products = useProducts();
  const find = useMemo(() => searchProducts(products.data ?? []), [products.data]);
  const shown = products.data && find(search);
  return (
    <>
      <div className={css.filters}>
        <TextField
          label={t('catalogue.search')}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <SelectField
          label={t('catalogue.class')}
          none={t('catalogue.all')}
          choices={CLASSES}
          nameOf={(name) => word('class', name)}
          value={assetClass}
          onChange={(event) => setClass(event.target.value)}
        />
      </div>
      {has('catalogue') && (
        <p>
          <Link className={css.action} href="/new">
            {t('catalogue.newProduct')}
          </Link>
        </p>
      )}
      <DataTable
        caption={t('catalogue.products')}
        columns={useColumns(products.data)}
        list={{
          ...products,
          data: shown?.filter((product) => assetClass === '' || product.assetClass === assetClass),
        }}
        none={t('catalogue.none')}
        idOf={({ symbol }) => symbol}
        onOpen={({ symbol }) => go(`/product/${pathOf(symbol)}`)}
      />
    </>
  );
}

/** Figures that most products have are drawn quietly, so that the others stand out. */
function useColumns(products: readonly ListedProduct[] = []): Column<ListedProduct>[] {
  const { t, word } = useText();
  const figure = (header: string, textOf: (product: ListedProduct) => string | null) => {
    const usual = mostFrequent(products.map(textOf));
    const cell = (product: ListedProduct) => {
      const text = textOf(product);
      return <span className={text === usual ? 'note' : undefined}>{text ?? t('shell.unknown')}</span>;
    };
    return { header, cell, isNumber: true } as const;
  };
  return [
    { header: t('catalogue.symbol'), cell: ({ symbol }) => <b>{symbol}</b> },
    { header: t('catalogue.name'), cell: ({ name }) => name },
    { header: t('catalogue.class'), cell: (product) => word('class', product.assetClass) },
    { header: t('catalogue.state'), cell: (product) => <ProductState product={product} /> },
    figure(t('catalogue.quorumOf'), quorumText),
    figure(t('catalogue.rates'), ratesText),
    {
      header: t('catalogue.changes'),
      cell: ({ proposed, coming }) => (
        <span className={css.tags}>
          {proposed > 0 && <Tag look="warn">{t('catalogue.proposedCount', { n: proposed })}</Tag>}
          {coming > 0 && <Tag>{t('catalogue.comingCount', { n: coming })}</Tag>}
        </span>
      ),
    },
  ];
}

const quorumText = ({ quorum, sources }: ListedProduct): string | null =>
  quorum === null ? null : `${sources} (${quorum})`;

const ratesText = ({ leastRate, mostRate }: ListedProduct): string | null =>
  leastRate === null || mostRate === null ? null : `${percentOf(leastRate)}–${percentOf(mostRate)}%`;

function mostFrequent(values: readonly (string | null)[]): string | null {
  const groups = [...groupBy(values, (value) => value)];
  const [value] = groups.sort(([, a], [, b]) => b.length - a.length)[0] ?? [null];
  return value;
}

/** "Open", or why it takes no orders, as customers see it. */
export function ProductState({ product, isLong = false }: { product: ListedProduct; isLong?: boolean }) {
  const { t, language } = useText();
  const { closed, sessionEndsAt } = product;
  if (closed === null)
    return sessionEndsAt === null
      ? t('catalogue.open')
      : t('catalogue.openUntil', { time: formatTime(sessionEndsAt) });
  const state = closedText(closed, language, { since: formatTime, opening: formatTime });
  return isLong ? (
    <State state={state} look="line" />
  ) : (
    <span className={css.tags} title={state.line}>
      <State state={state} look="mark" /> {state.below}
    </span>
  );
}
