import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { type HouseStepState, useHouseSteps } from './queries.ts';

/** Lists the steps to a new house, each done or open. It shows nothing once all are done. */
export function HouseSteps() {
  const { t, word } = useText();
  const steps = useHouseSteps().data;
  if (!steps || steps.every(({ isDone }) => isDone)) return null;
  const columns: Column<HouseStepState>[] = [
    { id: 'step', header: t('houseSteps.step'), cell: ({ row }) => word('houseStep', row.original.step) },
    {
      id: 'page',
      header: t('houseSteps.page'),
      cell: ({ row }) => <code>{PAGES[row.original.step]}</code>,
    },
    {
      id: 'state',
      header: t('staff.state'),
      cell: ({ row }) =>
        row.original.isDone ? t('houseSteps.done') : <strong>{t('houseSteps.open')}</strong>,
    },
  ];
  return (
    <section className="section">
      <h2>{t('houseSteps.title')}</h2>
      <p className="secondary">{t('houseSteps.text')}</p>
      <DataTable
        caption={t('houseSteps.title')}
        columns={columns}
        rows={steps}
        idOf={({ step }) => step}
        empty=""
      />
    </section>
  );
}

/** The page of the documents that describes a step; `npm run admin -- new-house` names its chapter. */
const PAGES: Readonly<Record<HouseStepState['step'], string>> = {
  administrators: 'docs/OFFICE.md',
  staff: 'docs/OFFICE.md',
  channels: 'docs/OFFICE.md',
  limits: 'docs/OFFICE.md',
  rates: 'docs/OFFICE.md',
  rules: 'docs/OFFICE.md',
  funds: 'docs/OFFICE.md',
  sources: 'docs/LIVE_PRICES.md',
  alerts: 'docs/OPERATIONS.md',
  backups: 'docs/OPERATIONS.md',
  witnesses: 'docs/OPERATIONS.md',
};
