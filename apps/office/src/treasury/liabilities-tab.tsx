import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { Verdict } from './parts.tsx';
import { type Liability, useLiabilities } from './queries.ts';

/** Amounts owed to all customers, day by day: in the public log and in the database. */
export function LiabilitiesTab() {
  const { t, word } = useText();
  const columns: Column<Liability>[] = [
    { header: t('liabilities.date'), cell: (row) => row.date },
    { header: t('audit.time'), cell: (row) => formatTime(row.takenAt) },
    { header: t('ledgerTab.liabilities'), cell: (row) => withAsset(row.total, row.asset), isNumber: true },
    { header: t('liabilities.customers'), cell: (row) => row.customers, isNumber: true },
    { header: t('liabilities.entry'), cell: (row) => row.index ?? '–', isNumber: true },
    {
      header: t('liabilities.state'),
      cell: (row) => <Verdict isRight={row.state === 'right'}>{word('liabilities', row.state)}</Verdict>,
    },
  ];
  return (
    <>
      <p className="secondary measure">{t('liabilities.text')}</p>
      <DataTable
        caption={t('ledgerTab.liabilities')}
        columns={columns}
        list={useLiabilities()}
        none={t('liabilities.none')}
        idOf={({ date, asset }) => `${date} ${asset}`}
      />
    </>
  );
}
