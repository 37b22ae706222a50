import type { OfficeData } from '@fairtick/protocol/office';
import { useGet } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { withAsset } from '../state/amounts.ts';

/** The four-eyes rules as stored in the database. */
export function RulesTable() {
  const { t, word } = useText();
  const columns: Column<OfficeData<'staff/rules'>[number]>[] = [
    { header: t('rules.what'), cell: ({ kind }) => word('rule', kind) },
    {
      header: t('rules.prepares'),
      cell: ({ editRole }) => (editRole === null ? t('rules.nobody') : word('role', editRole)),
    },
    { header: t('rules.approves'), cell: ({ role }) => word('role', role) },
    { header: t('rules.needed'), cell: ({ needed }) => needed, isNumber: true },
    {
      header: t('rules.above'),
      cell: ({ above }) =>
        above
          .map(({ asset, amount, needed }) =>
            t('rules.aboveAmount', { amount: withAsset(amount, asset), count: needed }),
          )
          .join(' · '),
    },
  ];
  return (
    <DataTable
      caption={t('staff.rules')}
      columns={columns}
      list={useGet(['rules'], 'staff/rules')}
      none=""
      idOf={({ kind }) => kind}
    />
  );
}
