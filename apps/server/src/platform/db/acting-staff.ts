import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

/** The session of staff on whose behalf the current work runs; the database looks it up itself (`schema/office/acting.sql`). */
const acting = new AsyncLocalStorage<Buffer>();

export const actingUnder = <T>(tokenHash: Buffer, work: () => T): T => acting.run(tokenHash, work);

const told = new WeakMap<object, string>();

/** Mostly there is no session, and it is set already. */
export async function tellActing(client: pg.ClientBase, tokenHash: Buffer | undefined): Promise<void> {
  const text = tokenHash?.toString('hex') ?? '';
  if ((told.get(client) ?? '') === text) return;
  // If the statement fails, the next user of the connection sets the hash again.
  told.set(client, 'unknown');
  await client.query(`select set_config('fairtick.staff_session', $1, false)`, [text]);
  told.set(client, text);
}

export const actingHash = (): Buffer | undefined => acting.getStore();
