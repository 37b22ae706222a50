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
      id: 'symbol',
      header: t('catalogue.symbol'),
      cell: ({ row: { original } }) => (
        <Link href={`~/catalogue/product/${pathOf(original.symbol)}`}>{original.symbol}</Link>
      ),
    },
    {
      id: 'priced',
      header: t('sources.priced'),
      cell: ({ row }) => row.original.priced,
      meta: { isNumber: true },
    },
    {
      id: 'sources',
      header: t('sources.all'),
      cell: ({ row }) => row.original.sources,
      meta: { isNumber: true },
    },
    {
      id: 'quorum',
      header: t('sources.needed'),
      cell: ({ row }) => row.original.quorum,
      meta: { isNumber: true },
    },
    {
      id: 'priceAge',
      header: t('sources.priceAge'),
      cell: ({
        row: {
          original: { priceAge },
        },
      }) => (priceAge === null ? '–' : durationText(priceAge, tag)),
      meta: { isNumber: true },
    },
    {
      id: 'standing',
      header: t('sources.standing'),
      cell: ({ row }) => <Standing product={row.original} />,
    },
  ];
  return (
    <DataTable
      caption={t('sources.products')}
      columns={columns}
      rows={products}
      idOf={({ symbol }) => symbol}
      empty={t('sources.none')}
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
