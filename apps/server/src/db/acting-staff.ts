import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

/**
 * Under which session of staff the work under way acts. The office sets it for each request; every connection that is taken
 * meanwhile carries the session's hash into the database, whose functions look the session up themselves (migration 041).
 */
const acting = new AsyncLocalStorage<Buffer>();

export const actingUnder = <T>(tokenHash: Buffer, work: () => T): T => acting.run(tokenHash, work);

/** What a connection was told last. */
const told = new WeakMap<object, string>();

/** Tells a connection that was just taken from its pool under which session its statements act; mostly none, and it knows. */
export async function tellActing(client: pg.ClientBase, tokenHash: Buffer | undefined): Promise<void> {
  const text = tokenHash?.toString('hex') ?? '';
  if ((told.get(client) ?? '') === text) return;
  // Whatever becomes of the statement, the next one to take the connection says it again.
  told.set(client, 'unknown');
  await client.query(`select set_config('fairtick.staff_session', $1, false)`, [text]);
  told.set(client, text);
}

export const actingHash = (): Buffer | undefined => acting.getStore();
