/** Limits on attempts, as the operator has set them. */
export interface Limits {
  readonly failedLoginsPerAccount: number;
  readonly loginsPerAddress: number;
  readonly registrationsPerAddress: number;
  /** A day, by the wider network of an address. */
  readonly registrationsPerNetwork: number;
  readonly ordersPerCustomer: number;
  /** Quotas of all other changes, in percent of the contract's numbers. */
  readonly quotaPercent: number;
}
