/**
 * How approved withdrawals are paid out. An operator who connects a bank or a node implements this and changes nothing else,
 * because the same function of the database posts every payout.
 */
export interface Payouts {
  readonly name: string;
  /**
   * Sends an approved payout. A repeated call with the same `id` must be the same payment.
   * @returns its reference, or null when a person pays by hand and enters the reference later
   */
  send(payout: Payout): Promise<string | null>;
}

export interface Payout {
  readonly id: string;
  readonly asset: string;
  /** The amount that arrives, a decimal string. */
  readonly amount: string;
}

/** A cashier pays by the bank's own means and enters the reference. */
export const manualPayouts: Payouts = { name: 'manual', send: async () => null };
