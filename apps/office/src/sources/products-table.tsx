import { Tag } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import type { Sources } from './queries.ts';

type Product = Sources['products'][number];

/** Products with live sources, and how many of those a product can lose. */
export function ProductsTable({ products }: { products: readonly Product[] }) {
  const { t } = useText();
  const columns: Column<Product>[] = [
    { id: 'symbol', header: t('catalogue.symbol'), cell: ({ row }) => <b>{row.original.symbol}</b> },
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

function Standing({ product: { isOpen, priced, quorum } }: { product: Product }) {
  const { t } = useText();
  if (!isOpen) return t('sources.closed');
  if (priced < quorum) return <Tag look="bad">{t('sources.short')}</Tag>;
  if (priced === quorum) return <Tag look="bad">{t('sources.lastOne')}</Tag>;
  return t('sources.spare', { count: priced - quorum });
}
