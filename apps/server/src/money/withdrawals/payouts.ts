import type { StatusOf } from '@fairtick/protocol/lifecycles';
import type { Logger } from 'pino';
import type { Destinations } from '../../customers/personal-data/destinations.ts';
import { call } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { amountOf } from '../../platform/office-queries.ts';

type Status = StatusOf<'withdrawal'>;

/** A connected payment provider: a bank's interface or a node. An operator implements it, and gives it to {@link connectedPayouts}. */
export interface Payouts {
  /** As staff read it. */
  readonly name: string;
  /** How long the office waits for an answer, ms. */
  readonly answerMs: number;
  /**
   * Makes one payment. All calls with the same `key`, at any time and from any process, must be the same payment: the office asks
   * again when the end is unknown.
   * @param signal aborted when nobody waits any more; a later answer is booked nevertheless
   * @returns the payment's reference. A rejection says nothing about the payment: it may have been made.
   */
  send(payout: Payout, signal: AbortSignal): Promise<string>;
}

export interface Payout {
  readonly key: string;
  readonly id: string;
  readonly asset: string;
  /** The amount that arrives, a decimal string. */
  readonly amount: string;
  readonly destination: NonNullable<Awaited<ReturnType<Destinations['read']>>>;
  /** What the cashier wrote and the approvers approved. */
  readonly instructions: string;
}

/** The provider of this installation; null: cashiers pay by hand. */
export const connectedPayouts: Payouts | null = null;

export interface PayoutParts {
  readonly pool: Pool;
  readonly destinations: Destinations;
  readonly payouts: Payouts | null;
  readonly log: Logger;
}

/**
 * Takes a withdrawal for paying, which is committed before the provider is asked. Returns `sending` when the end is not known within
 * {@link Payouts.answerMs}: the provider may be asked again under the same key, or two people say what became of it.
 * @throws RefusalError
 */
export async function sendPayout(
  parts: PayoutParts,
  { staffId, id, way }: { staffId: string; id: string; way: 'hand' | 'provider' },
): Promise<Status> {
  const { pool, destinations, payouts } = parts;
  if (way === 'provider' && payouts === null) throw new RefusalError('INVALID_VALUE');
  const { rows } = await pool.query<
    Omit<Payout, 'key' | 'destination'> & { customerId: string; destinationId: string }
  >(
    `select r.id::text, a.code as asset, ${amountOf('r.amount - r.fee')} as amount, coalesce(r.instructions, '') as instructions,
       r.customer_id as "customerId", r.destination_id as "destinationId"
     from withdrawal_requests r join ledger.assets a on a.id = r.asset_id where r.id = $1`,
    [id],
  );
  if (!rows[0]) throw new RefusalError('REQUEST_NOT_FOUND');
  const { customerId, destinationId, ...payout } = rows[0];
  await destinations.demandPayable(pool, customerId, destinationId);
  const destination = await destinations.read(pool, customerId, destinationId);
  if (!destination) throw new RefusalError('DESTINATION_GONE');
  const key = await call<string>(pool, 'withdrawal_send', { staff: staffId, id, way });
  if (way === 'hand' || payouts === null) return 'sending';
  const late = Promise.withResolvers<Status>();
  const waiting = new AbortController();
  const timer = setTimeout(() => {
    waiting.abort();
    late.resolve('sending');
  }, payouts.answerMs);
  const answer = askProvider(parts, payouts, { ...payout, key, destination }, staffId, waiting.signal);
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
}

/** Never rejects: whatever goes wrong after the sending was committed, the withdrawal stays `sending`. */
async function askProvider(
  { pool, log }: PayoutParts,
  payouts: Payouts,
  payout: Payout,
  staffId: string,
  signal: AbortSignal,
): Promise<Status> {
  const { id, key } = payout;
  try {
    const reference = String(await payouts.send(payout, signal)).slice(0, 201);
    const status = await call<Status>(pool, 'payout_answered', { staff: staffId, id, key, reference });
    if (status !== 'success')
      log.error({ withdrawal: id, key, status }, 'a payout was answered and not booked');
    return status;
  } catch (error) {
    log.error({ err: error, withdrawal: id, key }, 'the end of a payout is unknown');
    return 'sending';
  }
}
