import pg from 'pg';

/**
 * Works over a connection of its own, in one process at a time: the one whose connection has the advisory lock.
 * @returns null while another process has the lock
 */
export async function alone<T>(
  address: pg.ClientConfig,
  lock: number,
  work: (client: pg.Client) => Promise<T>,
): Promise<T | null> {
  const client = new pg.Client(address);
  // A connection that breaks while no query waits makes the next query fail.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [lock]);
    return rows[0]?.got ? await work(client) : null;
  } finally {
    await client.end();
  }
}
