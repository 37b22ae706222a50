import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { type HouseStepState, useHouseSteps } from './queries.ts';

/** Lists the steps to a new house, each done or open. It shows nothing once all are done. */
export function HouseSteps() {
  const { t, word } = useText();
  const steps = useHouseSteps().data;
  if (!steps || steps.every(({ isDone }) => isDone)) return null;
  const columns: Column<HouseStepState>[] = [
    { header: t('houseSteps.step'), cell: ({ step }) => word('houseStep', step) },
    { header: t('houseSteps.page'), cell: ({ step }) => <code>{PAGES[step]}</code> },
    {
      header: t('staff.state'),
      cell: ({ isDone }) => (isDone ? t('houseSteps.done') : <strong>{t('houseSteps.open')}</strong>),
    },
  ];
  return (
    <section className="section">
      <h2>{t('houseSteps.title')}</h2>
      <p className="secondary">{t('houseSteps.text')}</p>
      <DataTable
        caption={t('houseSteps.title')}
        columns={columns}
        list={steps}
        none=""
        idOf={({ step }) => step}
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
