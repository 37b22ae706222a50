import type { OpenBatch } from './placement-facts.ts';
import type { OrderRequest, PlacementAnswer } from './placement-parts.ts';

/**
 * The requests of a batch whose idempotency key has placed an order before, with the answer to each: orders_open_batch
 * (schema/trading/placement.sql) has found the keys, and the hash of the fields tells whether the same was asked.
 */
export function repeatedOrders(
  { known }: Pick<OpenBatch, 'known'>,
  requests: readonly OrderRequest[],
): [place: number, answer: PlacementAnswer][] {
  return (known ?? []).map(({ place, order, inputHash }) => {
    const hash = Buffer.from((requests[place] as OrderRequest).inputHash);
    return [place, { kind: 'known', orderId: order, isSame: hash.equals(Buffer.from(inputHash, 'hex')) }];
  });
}
