/**
 * Looks up on a chain the payment that a deposit's evidence names. An operator who connects a node implements this. It informs
 * staff, and credits nothing.
 */
export interface ChainConfirmations {
  readonly name: string;
  /** @returns how many blocks confirm it, or null when no node is asked and staff look it up */
  count(evidence: { asset: string; network: string; reference: string }): Promise<number | null>;
}

/** Asks no node: a cashier looks at the chain. */
export const manualConfirmations: ChainConfirmations = { name: 'manual', count: async () => null };
