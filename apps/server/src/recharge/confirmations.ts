/**
 * What a chain says of the payment that a deposit's evidence names. Whoever connects a node implements this; it tells staff, and
 * credits nothing.
 */
export interface ChainConfirmations {
  readonly name: string;
  /** @returns how many blocks confirm it, or null where nobody is asked: staff look it up */
  count(evidence: { asset: string; network: string; reference: string }): Promise<number | null>;
}

/** Nobody is asked: a cashier looks at the chain. */
export const manualConfirmations: ChainConfirmations = { name: 'manual', count: async () => null };
