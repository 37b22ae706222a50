import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createPool, type Pool } from '../../../apps/server/src/db/database.ts';

export interface TestDatabase {
  readonly name: string;
  /** As the owner of the schema, and as the server. */
  readonly ownerAddress: pg.ClientConfig;
  readonly serverAddress: pg.ClientConfig;
  readonly owner: Pool;
  readonly server: Pool;
  drop(): Promise<void>;
}

/** A database of its own: migrated, seeded, empty of customers. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const host = process.env.FAIRTICK_TEST_SOCKET;
  if (!host) throw new Error('the test database is started by the global setup');
  const name = `t_${randomBytes(6).toString('hex')}`;
  await asSuperuser(
    host,
    `create database ${name} template fairtick_template strategy file_copy owner fairtick_owner`,
  );
  const ownerAddress = { host, user: 'fairtick_owner', database: name };
  const serverAddress = { host, user: 'fairtick_server', database: name };
  // Tests hold locks and commits for as long as they need.
  const maxIdleInTransactionMs = 30_000;
  const owner = createPool(ownerAddress, { max: 4, name: 'test owner', maxIdleInTransactionMs });
  const server = createPool(serverAddress, { max: 16, name: 'test server', maxIdleInTransactionMs });
  return {
    name,
    ownerAddress,
    serverAddress,
    owner,
    server,
    drop: async () => {
      await owner.end();
      await server.end();
      await asSuperuser(host, `drop database ${name} with (force)`);
    },
  };
}

async function asSuperuser(host: string, statement: string): Promise<void> {
  const client = new pg.Client({ host, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
