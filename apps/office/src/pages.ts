import type { StaffRole } from '@fairtick/protocol/staff-roles';
import {
  CatalogueIcon,
  ChannelIcon,
  ChatsIcon,
  CorrectionIcon,
  DashboardIcon,
  DepositIcon,
  EarningsIcon,
  FileIcon,
  HelpIcon,
  IdentityIcon,
  KeyIcon,
  LedgerIcon,
  ListIcon,
  NewsIcon,
  PeopleIcon,
  PersonIcon,
  ShieldIcon,
  SourcesIcon,
  StatementIcon,
  WithdrawalIcon,
} from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { type ComponentType, lazy } from 'react';
import { waitingIn } from './dashboard/waiting-count.tsx';
import type { OfficePage, PageName } from './shell/office-page.ts';

const later = (load: () => Promise<{ default: ComponentType }>) => lazy(() => untilLoaded(load));

const MONEY = ['cashier', 'approver', 'auditor'] as const;
const RULES = ['catalogue', 'approver', 'auditor'] as const;
const NAMES = ['verification', 'auditor'] as const;
const HELP = ['support', 'verification', 'auditor'] as const;
const CUSTOMERS = ['support', 'verification', ...MONEY] as const;
const ORDERS = ['support', ...MONEY] as const;
const HOUSE = ['administrator', 'catalogue', ...MONEY] as const;

type Row = readonly [
  /** Pressing G and then this key opens the page. */
  key: string,
  icon: OfficePage['icon'],
  roles: OfficePage['roles'],
  load: () => Promise<{ default: ComponentType }>,
];

/**
 * The pages of the office, by the groups of the navigation. To add a page, add a row: its name, which is its path and that of its
 * title (`page.*`), its key, its icon, the roles that see it (the server enforces access; this only hides what it would refuse),
 * and its component, which is loaded on opening. Each journey has its own folder.
 */
const GROUPS: Readonly<Record<OfficePage['group'], Readonly<Partial<Record<PageName, Row>>>>> = {
  queues: {
    dashboard: ['o', DashboardIcon, HOUSE, () => import('./dashboard/dashboard-page.tsx')],
    deposits: ['d', DepositIcon, MONEY, () => import('./reviews/deposits/deposit-case.tsx')],
    withdrawals: ['w', WithdrawalIcon, MONEY, () => import('./reviews/withdrawals/withdrawal-case.tsx')],
    payouts: ['k', WithdrawalIcon, MONEY, () => import('./payouts/payouts-page.tsx')],
    identities: ['i', IdentityIcon, NAMES, () => import('./reviews/identities/identity-case.tsx')],
    statements: ['b', StatementIcon, MONEY, () => import('./treasury/statements-page.tsx')],
    chats: ['v', ChatsIcon, ['support', 'auditor'], () => import('./support/chats-page.tsx')],
    customers: ['c', PersonIcon, CUSTOMERS, () => import('./customers/customers-page.tsx')],
    orders: ['t', ListIcon, ORDERS, () => import('./orders/orders-page.tsx')],
    recoveries: ['r', HelpIcon, HELP, () => import('./support/recoveries-page.tsx')],
  },
  house: {
    audit: ['a', ShieldIcon, ['auditor', 'administrator'], () => import('./audit/audit-page.tsx')],
    staff: ['s', PeopleIcon, ['administrator', 'auditor'], () => import('./staff/staff-page.tsx')],
    ledger: ['l', LedgerIcon, MONEY, () => import('./treasury/ledger-page.tsx')],
    reports: ['y', FileIcon, HOUSE, () => import('./reports/reports-page.tsx')],
    corrections: ['x', CorrectionIcon, MONEY, () => import('./treasury/corrections-page.tsx')],
    channels: ['h', ChannelIcon, MONEY, () => import('./treasury/channels-page.tsx')],
    catalogue: ['p', CatalogueIcon, RULES, () => import('./catalogue/catalogue-page.tsx')],
    sources: ['f', SourcesIcon, RULES, () => import('./sources/sources-page.tsx')],
    earnings: ['e', EarningsIcon, RULES, () => import('./treasury/earnings-page.tsx')],
    news: ['n', NewsIcon, ['content', 'auditor'], () => import('./news/news-page.tsx')],
  },
  own: {
    account: ['m', KeyIcon, 'anyone', () => import('./session/account-page.tsx')],
  },
};

/** The counters of the navigation's entries: how many wait. */
const COUNTS: Readonly<Partial<Record<PageName, ComponentType>>> = {
  staff: waitingIn('staff'),
  deposits: waitingIn('deposits'),
  withdrawals: waitingIn('withdrawals', 'payouts'),
  identities: waitingIn('identities'),
  statements: waitingIn('statements'),
  chats: later(() => import('./support/chats-count.tsx')),
  customers: waitingIn('restrictions', 'tasks'),
  recoveries: later(() => import('./support/recoveries-count.tsx')),
  ledger: waitingIn('capital'),
  corrections: waitingIn('corrections'),
  channels: waitingIn('channels'),
  catalogue: waitingIn('rules'),
  earnings: waitingIn('earnings'),
};

export const PAGES: readonly OfficePage[] = Object.entries(GROUPS).flatMap(([group, pages]) =>
  Object.entries(pages).map(([name, [key, icon, roles, load]]) => ({
    ...{ name: name as PageName, group: group as OfficePage['group'], key, icon, roles },
    Page: later(load),
    Count: COUNTS[name as PageName],
  })),
);

/** The pages visible to these roles, in the order of the navigation. */
export function pagesFor(roles: ReadonlySet<StaffRole>): readonly OfficePage[] {
  return PAGES.filter((page) => page.roles === 'anyone' || page.roles.some((role) => roles.has(role)));
}
