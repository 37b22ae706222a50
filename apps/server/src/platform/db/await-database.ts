import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isAway } from './absence.ts';
import { refuseStandby, StandbyError } from './database.ts';

const PAUSE_MS = 1_000;
const CONNECT_MS = 5_000;
/**
 * Waits until the database server answers and is not a standby. Reports the reason for the wait, and each new reason.
 * @param asked stops the wait when aborted; the function then returns without a usable server
 * @throws Error when another attempt can't help, such as a wrong password
 */
export async function awaitDatabase(
  address: pg.ClientConfig,
  say: (text: string) => void,
  asked: AbortSignal,
): Promise<void> {
  let told = '';
  while (!asked.aborted) {
    const reason = await absence(address);
    if (reason === null) return;
    if (reason !== told) say(`waiting for the database: ${reason}`);
    told = reason;
    await sleep(PAUSE_MS, undefined, { signal: asked }).catch(() => {});
  }
}

/** Why the server can't be used yet; null: it can. */
async function absence(address: pg.ClientConfig): Promise<string | null> {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    await refuseStandby(client);
    return null;
  } catch (error) {
    if (!(isAway(error) || error instanceof StandbyError)) throw error;
    const { code, message } = error as Error & { code?: string };
    return message || String(code);
  } finally {
    await client.end().catch(() => {});
  }
}
