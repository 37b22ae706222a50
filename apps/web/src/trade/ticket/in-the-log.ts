import { whenLoaded } from '@fairtick/ui/load-code';
import { NetworkError, type RefusedError } from '../../api/client.ts';
import { serverNow } from '../../live/clock.ts';
import { useRefused } from '../../live/evidence.ts';
import type { Asked } from '../../orders/receipt-check/asked.ts';
import type { OpenEntry } from '../../orders/receipt-check/in-the-open.ts';

interface Sent {
  readonly key: string;
  readonly fields: Asked & { readonly seenSize: number; readonly seenRoot: string };
}

/** An order was refused, and the public log carries it. */
export class LoggedError extends Error {}

/** How often and after which pauses the log is read for an order whose opening time has passed: it is signed once a second. */
const TRIES = 8;
const PAUSE_MS = 1_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads the log for an order once; undefined: it can't be told. */
async function findOnce({ fields }: Sent): Promise<OpenEntry | null | undefined> {
  try {
    const { findInTheOpen } = await whenLoaded(() => import('../../orders/receipt-check/in-the-open.ts'));
    return await findInTheOpen(fields, { size: fields.seenSize, root: fields.seenRoot });
  } catch {
    return undefined;
  }
}

export const isInTheOpen = async (pending: Sent): Promise<boolean> => (await findOnce(pending)) != null;

/**
 * Demands that the public log carries no order that was refused: reads it up to the order's opening time, after which none opens. One that is
 * there is shown as a contradiction.
 * @throws LoggedError where it is there
 * @throws NetworkError where that can't be told
 */
export async function demandAbsent(pending: Sent, refusal: RefusedError): Promise<void> {
  const { key, fields } = pending;
  await pause(Math.max(0, fields.opensAt + PAUSE_MS - serverNow()));
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const found = await findOnce(pending);
    if (found === null) return;
    if (found) {
      const shown = { error: refusal.code, msg: refusal.message };
      useRefused.setState({ refused: { key, held: { asked: fields, logged: found }, shown } });
      throw new LoggedError(refusal.message);
    }
    await pause(PAUSE_MS);
  }
  throw new NetworkError('the log could not be read');
}
