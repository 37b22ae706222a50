/**
 * How approved withdrawals leave the house. Whoever connects a bank or a node implements this; nothing else changes, for what was
 * paid is posted by the same function of the database.
 */
export interface Payouts {
  readonly name: string;
  /**
   * Sends what was approved. The same payout may be asked for again, and must then be the same payment: `id` tells them apart.
   * @returns its reference, or null where somebody does it by hand and will say so
   */
  send(payout: Payout): Promise<string | null>;
}

export interface Payout {
  readonly id: string;
  readonly asset: string;
  /** What arrives, a decimal string. */
  readonly amount: string;
}

/** A cashier pays by the bank's own means and enters the reference. */
export const manualPayouts: Payouts = { name: 'manual', send: async () => null };
