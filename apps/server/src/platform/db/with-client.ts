import pg from 'pg';

/** Runs `work` with a connection of its own. @param name of the work, as PostgreSQL shows it */
export async function withClient<T>(
  address: pg.ClientConfig,
  name: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...address, application_name: `fairtick ${name}` });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

export const superuserOf = (socketDir: string, database = 'postgres'): pg.ClientConfig => ({
  host: socketDir,
  user: 'postgres',
  database,
});
