import type { StaffRole } from '@fairtick/protocol/office/roles';
import { untilLoaded } from '@fairtick/ui/load-code';
import { type ComponentType, type LazyExoticComponent, lazy, type SVGProps } from 'react';
import type { MessageId } from '../messages/text.ts';
import {
  CatalogueIcon,
  ChannelIcon,
  ChatsIcon,
  CorrectionIcon,
  CustomerIcon,
  DashboardIcon,
  DepositIcon,
  EarningsIcon,
  HelpIcon,
  IdentityIcon,
  KeyIcon,
  LedgerIcon,
  NewsIcon,
  PeopleIcon,
  ShieldIcon,
  StatementIcon,
  WithdrawalIcon,
} from './icons.tsx';

/**
 * The pages of the office. To add a page, add an entry: its path, the roles that see it in the navigation (the server enforces
 * access; this only hides what it would refuse), its title, and its component, which is loaded on opening. Each journey has its
 * own folder: reviews, ledger, catalogue, content, support, audit.
 */
export interface OfficePage {
  readonly path: string;
  readonly roles: 'anyone' | readonly StaffRole[];
  readonly title: MessageId;
  readonly icon: ComponentType<SVGProps<SVGSVGElement> & { size?: number }>;
  /** Pressing G and then this key opens the page. */
  readonly key: string;
  /** Pages of one group are listed together. */
  readonly group: 'queues' | 'house' | 'own';
  readonly Page: LazyExoticComponent<ComponentType>;
  /** The counter at the end of its navigation entry: how many wait. */
  readonly Count?: LazyExoticComponent<ComponentType>;
}

const later = (load: () => Promise<{ default: ComponentType }>) => lazy(() => untilLoaded(load));

export const PAGES: readonly OfficePage[] = [
  {
    path: '/dashboard',
    roles: ['cashier', 'approver', 'catalogue', 'auditor'],
    title: 'page.dashboard',
    icon: DashboardIcon,
    key: 'o',
    group: 'queues',
    Page: later(() => import('../dashboard/dashboard-page.tsx')),
  },
  {
    path: '/audit',
    roles: ['auditor', 'administrator'],
    title: 'page.audit',
    icon: ShieldIcon,
    key: 'a',
    group: 'house',
    Page: later(() => import('../audit/audit-page.tsx')),
  },
  {
    path: '/staff',
    roles: ['administrator', 'auditor'],
    title: 'page.staff',
    icon: PeopleIcon,
    key: 's',
    group: 'house',
    Page: later(() => import('../staff/staff-page.tsx')),
  },
  {
    path: '/deposits',
    roles: ['cashier', 'approver', 'auditor'],
    title: 'page.deposits',
    icon: DepositIcon,
    key: 'd',
    group: 'queues',
    Page: later(() => import('../reviews/deposits-page.tsx')),
    Count: later(() => import('../reviews/deposits-count.tsx')),
  },
  {
    path: '/withdrawals',
    roles: ['cashier', 'approver', 'auditor'],
    title: 'page.withdrawals',
    icon: WithdrawalIcon,
    key: 'w',
    group: 'queues',
    Page: later(() => import('../reviews/withdrawals-page.tsx')),
    Count: later(() => import('../reviews/withdrawals-count.tsx')),
  },
  {
    path: '/identities',
    roles: ['verification', 'auditor'],
    title: 'page.identities',
    icon: IdentityIcon,
    key: 'i',
    group: 'queues',
    Page: later(() => import('../reviews/identities-page.tsx')),
    Count: later(() => import('../reviews/identities-count.tsx')),
  },
  {
    path: '/statements',
    roles: ['cashier', 'approver', 'auditor'],
    title: 'page.statements',
    icon: StatementIcon,
    key: 'b',
    group: 'queues',
    Page: later(() => import('../reviews/statements-page.tsx')),
  },
  {
    path: '/customers',
    roles: ['support', 'verification', 'cashier', 'approver', 'auditor'],
    title: 'page.customers',
    icon: CustomerIcon,
    key: 'c',
    group: 'queues',
    Page: later(() => import('../reviews/customers-page.tsx')),
  },
  {
    path: '/chats',
    roles: ['support', 'auditor'],
    title: 'page.chats',
    icon: ChatsIcon,
    key: 'v',
    group: 'queues',
    Page: later(() => import('../support/chats-page.tsx')),
    Count: later(() => import('../support/chats-count.tsx')),
  },
  {
    path: '/recoveries',
    roles: ['support', 'verification', 'auditor'],
    title: 'page.recoveries',
    icon: HelpIcon,
    key: 'r',
    group: 'queues',
    Page: later(() => import('../support/recoveries-page.tsx')),
    Count: later(() => import('../support/recoveries-count.tsx')),
  },
  {
    path: '/ledger',
    roles: ['cashier', 'approver', 'auditor'],
    title: 'page.ledger',
    icon: LedgerIcon,
    key: 'l',
    group: 'house',
    Page: later(() => import('../ledger/ledger-page.tsx')),
  },
  {
    path: '/corrections',
    roles: ['cashier', 'approver', 'auditor'],
    title: 'page.corrections',
    icon: CorrectionIcon,
    key: 'x',
    group: 'house',
    Page: later(() => import('../ledger/corrections-page.tsx')),
  },
  {
    path: '/channels',
    roles: ['cashier', 'approver', 'auditor'],
    title: 'page.channels',
    icon: ChannelIcon,
    key: 'h',
    group: 'house',
    Page: later(() => import('../ledger/channels-page.tsx')),
  },
  {
    path: '/catalogue',
    roles: ['catalogue', 'approver', 'auditor'],
    title: 'page.catalogue',
    icon: CatalogueIcon,
    key: 'p',
    group: 'house',
    Page: later(() => import('../catalogue/catalogue-page.tsx')),
  },
  {
    path: '/earnings',
    roles: ['catalogue', 'approver', 'auditor'],
    title: 'page.earnings',
    icon: EarningsIcon,
    key: 'e',
    group: 'house',
    Page: later(() => import('../ledger/earnings-page.tsx')),
  },
  {
    path: '/news',
    roles: ['content', 'auditor'],
    title: 'page.news',
    icon: NewsIcon,
    key: 'n',
    group: 'house',
    Page: later(() => import('../content/news-page.tsx')),
  },
  {
    path: '/account',
    roles: 'anyone',
    title: 'page.account',
    icon: KeyIcon,
    key: 'm',
    group: 'own',
    Page: later(() => import('../session/account-page.tsx')),
  },
];

/** The pages visible to these roles, in the order of the navigation. */
export function pagesFor(roles: ReadonlySet<StaffRole>): readonly OfficePage[] {
  return PAGES.filter((page) => page.roles === 'anyone' || page.roles.some((role) => roles.has(role)));
}
