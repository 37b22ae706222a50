import { Tag } from '@fairtick/ui';
import { durationText } from '@fairtick/ui/durations';
import { Link } from 'wouter';
import { pathOf } from '../catalogue/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import type { Sources } from './queries.ts';

type Product = Sources['products'][number];

/** Products with live sources, and how many of those a product can lose. */
export function ProductsTable({ products }: { products: readonly Product[] }) {
  const { t, tag } = useText();
  const columns: Column<Product>[] = [
    {
      header: t('catalogue.symbol'),
      cell: ({ symbol }) => <Link href={`~/catalogue/product/${pathOf(symbol)}`}>{symbol}</Link>,
    },
    { header: t('sources.priced'), cell: ({ priced }) => priced, isNumber: true },
    { header: t('sources.all'), cell: ({ sources }) => sources, isNumber: true },
    { header: t('sources.needed'), cell: ({ quorum }) => quorum, isNumber: true },
    {
      header: t('sources.priceAge'),
      cell: ({ priceAge }) => (priceAge === null ? '–' : durationText(priceAge, tag)),
      isNumber: true,
    },
    { header: t('sources.standing'), cell: (product) => <Standing product={product} /> },
  ];
  return (
    <DataTable
      caption={t('sources.products')}
      columns={columns}
      list={products}
      none={t('sources.none')}
      idOf={({ symbol }) => symbol}
    />
  );
}

/** A product whose sources have prices lacks one if they disagree, or if their prices are too old to decide orders. */
const OLD_MS = 30_000;

function Standing({ product: { isOpen, sources, priced, quorum, priceAge } }: { product: Product }) {
  const { t } = useText();
  if (!isOpen) return t('sources.closed');
  if (priced < quorum) return <Tag look="bad">{t('sources.short')}</Tag>;
  if (priceAge !== null && priceAge > OLD_MS) return <Tag look="bad">{t('sources.noPrice')}</Tag>;
  const text = priced === quorum ? t('sources.lastOne') : t('sources.spare', { count: priced - quorum });
  // A product that needs all of its sources always closes with the next one.
  return priced === quorum && priced < sources ? <Tag look="bad">{text}</Tag> : text;
}
