import { isZone } from '../day.ts';
import type { StaffRole } from '../staff-roles.ts';

interface ReportTerms {
  readonly roles: readonly [StaffRole, ...StaffRole[]];
  /** Of the end of the period alone. */
  readonly isMoment?: true;
}

const MONEY = ['cashier', 'approver', 'auditor'] as const;

/** The reports, each with the roles that may order it. The server has their columns and queries (`office/reports`). */
export const REPORTS = {
  movements: { roles: MONEY },
  orders: { roles: ['approver', 'auditor'] },
  deposits: { roles: MONEY },
  withdrawals: { roles: MONEY },
  balances: { roles: MONEY, isMoment: true },
  turnover: { roles: ['cashier', 'approver', 'catalogue', 'auditor'] },
  fees: { roles: MONEY },
  interest: { roles: MONEY },
  protection: { roles: ['approver', 'auditor'] },
  audit: { roles: ['administrator', 'auditor'] },
} as const satisfies Record<string, ReportTerms>;
export type ReportName = keyof typeof REPORTS;
export const REPORT_NAMES = Object.keys(REPORTS) as [ReportName, ...ReportName[]];

export const REPORT_FORMATS = ['csv', 'json', 'jsonl'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** The longest period of a report: a year with a leap day. */
export const MOST_REPORT_MS = 366 * 86_400_000;

/** Whether the database knows a zone as well: it reads the sign of a mere offset the other way round. */
export const isReportZone = (zone: string): boolean => /^[A-Za-z]/.test(zone) && isZone(zone);
