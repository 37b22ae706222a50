import type pg from 'pg';
import { replayOrders, wordsOfBatchFault } from '../replay/replay-orders.ts';
import type { CodeCheck } from './audit-checks.ts';

const ALL = { first: 0, last: Number.MAX_SAFE_INTEGER };

/** Orders whose replay from the log differs from the ledger; an order that the engine has yet to settle does not count. */
export async function unlikeTheLog(
  client: pg.ClientBase,
  range: { readonly first: number; readonly last: number } = ALL,
): Promise<string[]> {
  const { differences, batchFaults } = await replayOrders(client, range);
  return [
    ...batchFaults.map(wordsOfBatchFault),
    ...differences
      .filter(({ what, inLedger }) => what !== 'outcome' || inLedger !== 'not settled')
      .map(
        ({ orderId, what, byLog, inLedger }) =>
          `order ${orderId}, ${what}: by the log ${byLog}, in the ledger ${inLedger}`,
      ),
  ];
}

export const REPLAY_CHECK: CodeCheck = {
  name: 'orders came to what the log’s lines make of them',
  run: (client) => unlikeTheLog(client),
};
