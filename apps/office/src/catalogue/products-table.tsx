import { Tag } from '@fairtick/ui';
import { groupBy } from '@fairtick/ui/group-by';
import { searchProducts } from '@fairtick/ui/search-products';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { useMayDecide } from '../proposals/rights.ts';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { SelectField, TextField } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import css from './catalogue.module.css';
import { type ListedProduct, pathOf, useProducts } from './queries.ts';
import { percentOf } from './rates.ts';

export const CLASSES = ['forex', 'energy', 'metal', 'index', 'stock', 'crypto'] as const;

/** All products with their current rules. */
export function ProductsTable() {
  const { t, word, tag } = useText();
  const [, go] = useLocation();
  const { mayProposeRate } = useMayDecide();
  const [search, setSearch] = useState('');
  const [assetClass, setClass] = useState('');
  const products = useProducts();
  const find = useMemo(() => searchProducts(products.data ?? []), [products.data]);
  const rows = useMemo(
    () => find(search).filter((product) => assetClass === '' || product.assetClass === assetClass),
    [find, search, assetClass],
  );
  const usualQuorum = useMemo(() => mostFrequent((products.data ?? []).map(quorumText)), [products.data]);
  const usualRates = useMemo(() => mostFrequent((products.data ?? []).map(ratesText)), [products.data]);
  const figure = (text: string | null, usual: string | null) => (
    <span className={text === usual ? 'note' : undefined}>{text ?? t('shell.unknown')}</span>
  );
  const columns: Column<ListedProduct>[] = [
    { id: 'symbol', header: t('catalogue.symbol'), cell: ({ row }) => <b>{row.original.symbol}</b> },
    { id: 'name', header: t('catalogue.name'), cell: ({ row }) => row.original.name },
    { id: 'class', header: t('catalogue.class'), cell: ({ row }) => word('class', row.original.assetClass) },
    {
      id: 'state',
      header: t('catalogue.state'),
      cell: ({ row: { original } }) => <ProductState product={original} tag={tag} />,
    },
    {
      id: 'sources',
      header: t('catalogue.quorumOf'),
      cell: ({ row: { original } }) => figure(quorumText(original), usualQuorum),
      meta: { isNumber: true },
    },
    {
      id: 'rates',
      header: t('catalogue.rates'),
      cell: ({ row: { original } }) => figure(ratesText(original), usualRates),
      meta: { isNumber: true },
    },
    {
      id: 'pending',
      header: t('catalogue.changes'),
      cell: ({ row: { original } }) => (
        <span className={css.tags}>
          {original.proposed > 0 && (
            <Tag look="warn">{t('catalogue.proposedCount', { n: original.proposed })}</Tag>
          )}
          {original.coming > 0 && <Tag>{t('catalogue.comingCount', { n: original.coming })}</Tag>}
        </span>
      ),
    },
  ];
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
          value={assetClass}
          onChange={(event) => setClass(event.target.value)}
        >
          <option value="">{t('catalogue.all')}</option>
          {CLASSES.map((name) => (
            <option key={name} value={name}>
              {word('class', name)}
            </option>
          ))}
        </SelectField>
      </div>
      {mayProposeRate && (
        <p>
          <Link className={css.action} href="/new">
            {t('catalogue.newProduct')}
          </Link>
        </p>
      )}
      <DataTable
        caption={t('catalogue.products')}
        columns={columns}
        rows={rows}
        idOf={({ symbol }) => symbol}
        onOpen={({ symbol }) => go(`/product/${pathOf(symbol)}`)}
        empty={
          products.isPending
            ? t('shell.loading')
            : t(products.isError ? 'shell.networkError' : 'catalogue.none')
        }
      />
    </>
  );
}

const quorumText = ({ quorum, sources }: ListedProduct): string | null =>
  quorum === null ? null : `${sources} (${quorum})`;

const ratesText = ({ leastRate, mostRate }: ListedProduct): string | null =>
  leastRate === null || mostRate === null ? null : `${percentOf(leastRate)}–${percentOf(mostRate)}%`;

/** The value that most products have: drawn quietly, so that the others stand out. */
function mostFrequent(values: readonly (string | null)[]): string | null {
  const groups = [...groupBy(values, (value) => value)];
  const [value] = groups.sort(([, a], [, b]) => b.length - a.length)[0] ?? [null];
  return value;
}

/** "Open", "Closed until …", or why prices have stopped. */
export function ProductState({ product, tag }: { product: ListedProduct; tag: string }) {
  const { t, word } = useText();
  if (product.closedBecause === 'no_price' && product.gap !== null)
    return t('catalogue.stopped', { reason: word('gap', product.gap) });
  if (product.closedBecause !== null) {
    return product.opensAt === null
      ? t('catalogue.closedBecause', { reason: word('closed', product.closedBecause) })
      : t('catalogue.closedUntil', { time: formatTime(product.opensAt, tag) });
  }
  return product.sessionEndsAt === null
    ? t('catalogue.open')
    : t('catalogue.openUntil', { time: formatTime(product.sessionEndsAt, tag) });
}
