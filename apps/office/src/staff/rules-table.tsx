import type { OfficeData } from '@fairtick/protocol/office';
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { withAsset } from '../state/amounts.ts';

type Rule = OfficeData<'staff/rules'>[number];
const NONE: readonly Rule[] = [];

/** The four-eyes rules as stored in the database. */
export function RulesTable() {
  const { t, word } = useText();
  const rules = useQuery({ queryKey: ['rules'], queryFn: ({ signal }) => get('staff/rules', {}, signal) });
  const columns: Column<Rule>[] = [
    { id: 'kind', header: t('rules.what'), cell: ({ row }) => word('rule', row.original.kind) },
    {
      id: 'edit',
      header: t('rules.prepares'),
      cell: ({ row: { original } }) =>
        original.editRole === null ? t('rules.nobody') : word('role', original.editRole),
    },
    { id: 'role', header: t('rules.approves'), cell: ({ row }) => word('role', row.original.role) },
    {
      id: 'needed',
      header: t('rules.needed'),
      cell: ({ row }) => row.original.needed,
      meta: { isNumber: true },
    },
    {
      id: 'above',
      header: t('rules.above'),
      cell: ({ row }) =>
        row.original.above
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
      rows={rules.data ?? NONE}
      idOf={({ kind }) => kind}
      empty={rules.isPending ? t('shell.loading') : t('shell.networkError')}
    />
  );
}
