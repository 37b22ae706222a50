import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { refuseStandby, StandbyError } from './database.ts';
import { isAway } from './database-away.ts';
import { UnfitDatabaseError } from './unfit-database.ts';

const PAUSE_MS = 1_000;
const CONNECT_MS = 5_000;
/** SQLSTATEs of a refused login: not admitted, wrong password, no such database. */
const REFUSED: ReadonlySet<string> = new Set(['28000', '28P01', '3D000']);

/**
 * Waits until the database server answers and is not a standby. Reports the reason for the wait, and each new reason.
 * @param asked stops the wait when aborted; the function then returns without a usable server
 * @throws UnfitDatabaseError when the server refuses the login or has no such database: another attempt can't help
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

async function absence(address: pg.ClientConfig): Promise<string | null> {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    await refuseStandby(client);
    return null;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (REFUSED.has(code ?? ''))
      throw new UnfitDatabaseError(`the database refuses the login (${message}): mend DATABASE_URL`);
    if (!(isAway(error) || error instanceof StandbyError)) throw error;
    return message || String(code);
  } finally {
    await client.end().catch(() => {});
  }
}
