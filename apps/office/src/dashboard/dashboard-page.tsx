import type { StaffRole } from '@fairtick/protocol/staff-roles';
import { durationText } from '@fairtick/ui/durations';
import { Link } from 'wouter';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { formatTime } from '../state/format.ts';
import css from './dashboard.module.css';
import { ExposureSection } from './exposure-section.tsx';
import { HealthSection } from './health-section.tsx';
import { HouseSteps } from './house-steps.tsx';
import { MoneySection } from './money-section.tsx';
import { type QueueFigure, useHouse, useQueues } from './queries.ts';
import { TurnoverSection } from './turnover-section.tsx';

/** The page of each queue and the roles that may open it; other roles get no link. */
const MONEY = ['cashier', 'approver', 'auditor'] as const;
const PLACES: Readonly<Record<QueueFigure['queue'], readonly [string, readonly StaffRole[]]>> = {
  deposits: ['~/deposits', MONEY],
  withdrawals: ['~/withdrawals', MONEY],
  payouts: ['~/withdrawals', MONEY],
  identities: ['~/identities', ['verification', 'auditor']],
  statements: ['~/statements', MONEY],
  chats: ['~/chats', ['support', 'auditor']],
  recoveries: ['~/recoveries', ['support', 'verification', 'auditor']],
  corrections: ['~/corrections', MONEY],
  capital: ['~/ledger/capital', MONEY],
  channels: ['~/channels', MONEY],
  rules: ['~/catalogue/changes', ['catalogue', 'approver', 'auditor']],
  earnings: ['~/earnings', ['catalogue', 'approver', 'auditor']],
  restrictions: ['~/customers/restrictions', ['verification', 'cashier', 'approver']],
  tasks: ['~/customers/tasks', ['verification', 'approver']],
  staff: ['~/staff', ['administrator', 'auditor']],
};

const isFor = (queue: QueueFigure['queue'], roles: readonly { role: StaffRole }[] = []): boolean =>
  roles.some(({ role }) => PLACES[queue][1].includes(role));

/** The start page: queues, exposure, and the health of the system. */
export default function DashboardPage() {
  const { t } = useText();
  const roles = useMe().data?.roles ?? [];
  const isAdministrator = roles.some(({ role }) => role === 'administrator');
  const house = useHouse(!isAdministrator);
  return (
    <div className="page linked gap-20">
      <header className="flex between items-baseline">
        <h1>{t('page.dashboard')}</h1>
        <span className="secondary" hidden={isAdministrator}>
          {house.data
            ? t('dashboard.asOf', { time: formatTime(house.data.time) })
            : t(house.isError ? 'shell.networkError' : 'shell.loading')}
          {house.data && house.isError && ` · ${t('shell.networkError')}`}
        </span>
      </header>
      {isAdministrator && <HouseSteps />}
      <div className={`stack items-start gap-20 ${css.top}`}>
        <QueuesSection />
        {house.data && <HealthSection house={house.data} />}
      </div>
      {house.data && (
        <>
          <ExposureSection rows={house.data.exposure} customers={house.data.customers} />
          <TurnoverSection days={house.data.turnover} untilMs={house.data.time} />
          <MoneySection days={house.data.money} />
        </>
      )}
    </div>
  );
}

function QueuesSection() {
  const { t, word, tag } = useText();
  const queues = useQueues();
  const roles = useMe().data?.roles;
  // The reader's own queues come first.
  const rows = queues.data && [
    ...queues.data.filter(({ queue }) => isFor(queue, roles)),
    ...queues.data.filter(({ queue }) => !isFor(queue, roles)),
  ];
  const columns: Column<QueueFigure>[] = [
    {
      header: t('dashboard.queue'),
      cell: ({ queue }) => {
        const name = word('queue', queue);
        return isFor(queue, roles) ? <Link href={PLACES[queue][0]}>{name}</Link> : name;
      },
    },
    {
      header: t('dashboard.waiting'),
      cell: ({ waiting }) => (waiting === 0 ? <span className="note">0</span> : <b>{waiting}</b>),
      isNumber: true,
    },
    {
      header: t('dashboard.oldest'),
      cell: ({ oldestAt }) =>
        oldestAt === null ? <span className="note">–</span> : durationText(Date.now() - oldestAt, tag),
      isNumber: true,
    },
  ];
  return (
    <section className="section">
      <h2>{t('dashboard.queues')}</h2>
      <p className="secondary">{t('dashboard.queuesText')}</p>
      <DataTable
        caption={t('dashboard.queues')}
        columns={columns}
        list={{ ...queues, data: rows }}
        none=""
        idOf={({ queue }) => queue}
      />
    </section>
  );
}
