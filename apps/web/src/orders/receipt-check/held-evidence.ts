import { type LoggedAnswer, type LoggedReport, verifyAcceptance, verifyLogged } from '@fairtick/proof';
import type { Order } from '@fairtick/protocol';
import { get, RefusedError } from '../../api/client.ts';
import { type ContradictionKind, contradictionWith } from './evidence-model.ts';
import { documentOf, type HeldOrder, heldOrder, isHeldAsAsked, keepLogged } from './kept.ts';
import { isSameLog, keepProved, type TrustedLog, trustedLog } from './trusted-log.ts';

export interface HeldEvidence {
  readonly document: object;
  /** Whether all that is held bears valid signatures and proofs, under keys that this device trusts. */
  readonly isSound: boolean;
  /** Place and time (Unix ms) of the log's entry that carries the order; null while none is proved. */
  readonly found: { readonly index: number; readonly timeMs: number } | null;
  /** Why the answer about the log does not hold, in plain English. */
  readonly fault: string | null;
  readonly contradiction: ContradictionKind | null;
}

/**
 * Asks once whether an order is in the log, verifies the answer on this device and keeps it.
 * @returns whether the answer holds and the order is what this device asked for; null: it is not in a signed log yet
 * @throws RefusedError, NetworkError
 */
export async function askLogged(held: HeldOrder): Promise<boolean | null> {
  const answer = await get('order/logged', { id: held.number }, { isSilent: true }).catch(nullIfSoon);
  if (answer === null) return null;
  const trusted = await trustedLog();
  const { found, fault } = judge(held, answer, trusted);
  const isSame = found && (await isSameLog(trusted, found.checkpoint));
  if (found && isSame) await keepProved(trusted, found.checkpoint, answer.keys);
  const isFork = isSame === false;
  await keepLogged(held, {
    answer,
    fault: isFork ? 'it is in another log than the one checked before' : fault,
  });
  // The record of what the customer asked for may have been stored meanwhile.
  const now = (await heldOrder(held.customerId, String(held.number))) ?? held;
  return fault === null && !isFork && isHeldAsAsked(now);
}

function nullIfSoon(error: unknown): null {
  if (error instanceof RefusedError && error.code === 'LOGGED_SOON') return null;
  throw error;
}

/**
 * Verifies again what this device holds of an order, and compares it with the order as the server shows it now; null if nothing is
 * held.
 * @throws RefusedError, NetworkError
 */
export async function lookAtHeld(customerId: string, order: Order): Promise<HeldEvidence | null> {
  const held = await heldOrder(customerId, order.id);
  if (!held) return null;
  const trusted = await trustedLog();
  const { found, fault } = held.logged ? judge(held, held.logged.answer, trusted) : NOTHING;
  return {
    document: documentOf(held),
    isSound: isSound(held, trusted),
    found,
    fault: held.logged?.fault ?? fault,
    contradiction: contradictionWith(
      {
        acceptanceText: held.acceptance.text,
        isAsAsked: isHeldAsAsked(held),
        wasInTime: found?.isInTime ?? false,
      },
      order,
    ),
  };
}

const NOTHING = { found: null, fault: null };

/** Whether all that is held of an order bears valid signatures and proofs. The answer about the log brings hand-overs of keys. */
export function isSound(held: HeldOrder, trusted: TrustedLog): boolean {
  if (held.logged) return judge(held, held.logged.answer, trusted).isValid;
  return verifyAcceptance(held.acceptance, trusted.acceptances) !== null;
}

const judge = (held: HeldOrder, answer: LoggedAnswer, { log, acceptances }: TrustedLog): LoggedReport =>
  verifyLogged(held.acceptance, answer, { keys: { log, acceptances, witnesses: [] } });
