import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable, useEmptyText } from '../shell/data-table.tsx';
import { withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { Verdict } from './parts.tsx';
import { type Liability, useLiabilities } from './queries.ts';

/** Amounts owed to all customers, day by day: in the public log and in the database. */
export function LiabilitiesTab() {
  const { t, tag, word } = useText();
  const query = useLiabilities();
  const columns: Column<Liability>[] = [
    { id: 'date', header: t('liabilities.date'), cell: ({ row }) => row.original.date },
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.takenAt, tag) },
    {
      id: 'total',
      header: t('ledgerTab.liabilities'),
      cell: ({ row: { original } }) => withAsset(original.total, original.asset),
      meta: { isNumber: true },
    },
    {
      id: 'customers',
      header: t('liabilities.customers'),
      cell: ({ row }) => row.original.customers,
      meta: { isNumber: true },
    },
    {
      id: 'entry',
      header: t('liabilities.entry'),
      cell: ({ row }) => row.original.index ?? '–',
      meta: { isNumber: true },
    },
    {
      id: 'state',
      header: t('liabilities.state'),
      cell: ({ row: { original } }) => (
        <Verdict isRight={original.state === 'right'}>{word('liabilities', original.state)}</Verdict>
      ),
    },
  ];
  return (
    <>
      <p className="secondary measure">{t('liabilities.text')}</p>
      <DataTable
        caption={t('ledgerTab.liabilities')}
        columns={columns}
        rows={query.data ?? []}
        idOf={({ date, asset }) => `${date} ${asset}`}
        empty={useEmptyText(query, t('liabilities.none'))}
      />
    </>
  );
}
