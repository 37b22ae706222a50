/** Limits on attempts that an operator can set: the setting of each, and its value where none is set. */
export const LIMITS = {
  failedLoginsPerAccount: { setting: 'LIMIT_FAILED_LOGINS', fallback: 10 },
  loginsPerAddress: { setting: 'LIMIT_LOGINS', fallback: 300 },
  registrationsPerAddress: { setting: 'LIMIT_REGISTRATIONS', fallback: 60 },
  /** A day, by the wider network of an address. */
  registrationsPerNetwork: { setting: 'LIMIT_DAY_REGISTRATIONS', fallback: 500 },
  ordersPerCustomer: { setting: 'LIMIT_ORDERS', fallback: 100 },
  /** Quotas of all other changes, in percent of the contract's numbers. */
  quotaPercent: { setting: 'LIMIT_QUOTA_PERCENT', fallback: 100 },
} as const;

export type Limits = Readonly<Record<keyof typeof LIMITS, number>>;
