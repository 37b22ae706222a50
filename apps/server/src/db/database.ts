import pg from 'pg';
import { actingHash, tellActing } from './acting-staff.ts';
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts';
import { refuseBranch } from './restored.ts';
import { SERVER_ROLE, serverAddressOf } from './server-login.ts';

// int8 comes as a string and stays one until its reader knows whether it is money (bigint) or a count or time (number).
export type Row = Record<string, unknown>;
export type Pool = pg.Pool;
export type Client = pg.PoolClient;

/** Anything that can run a statement: a pool, or a client inside a transaction. */
export interface Queryable {
  query<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<R>>;
  query<R extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<R>>;
}

/** Where the database is, and as whom: `admin` owns the schema, `server` has only what the migrations granted it. */
export interface DatabaseAddress {
  readonly admin: pg.ClientConfig;
  readonly server: pg.ClientConfig;
  readonly embedded: EmbeddedPostgres | null;
}

const DATABASE = 'fairtick';
const OWNER = 'fairtick_owner';

/** Finds or starts the database. A server of one's own is used as its address says; the embedded one is made ready. */
export async function openDatabase(
  options: {
    databaseUrl: string | null;
    databaseServerUrl?: string | null;
    dataDir: string;
    backupDir: string | null;
  },
  say: (text: string) => void,
): Promise<DatabaseAddress> {
  const { databaseUrl, databaseServerUrl = process.env.DATABASE_SERVER_URL || null } = options;
  if (databaseServerUrl !== null) {
    const server = { connectionString: databaseServerUrl };
    // Who knows no other address has no rights of the owner's by this one.
    return {
      admin: databaseUrl === null ? server : { connectionString: databaseUrl },
      server,
      embedded: null,
    };
  }
  if (databaseUrl !== null) {
    const admin = { connectionString: databaseUrl };
    return { admin, server: serverAddressOf(databaseUrl), embedded: null };
  }
  if (options.backupDir !== null) refuseBranch(options.dataDir, options.backupDir);
  const embedded = await startEmbedded(options.dataDir, say, {}, options.backupDir);
  await prepareEmbedded(embedded.socketDir);
  const base = { host: embedded.socketDir, database: DATABASE };
  return { admin: { ...base, user: OWNER }, server: { ...base, user: SERVER_ROLE }, embedded };
}

/** The embedded server's roles and database, made once. */
async function prepareEmbedded(socketDir: string): Promise<void> {
  const client = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    const { rows } = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (rows.length > 0) return;
    await client.query(`do $$ begin
      if not exists (select from pg_roles where rolname = '${OWNER}') then create role ${OWNER} login createrole; end if;
    end $$`);
    await client.query(`create database ${DATABASE} owner ${OWNER}`);
  } finally {
    await client.end();
  }
}

/** Hardly longer than a lease: when a paused leader has lost its role, its locks are gone soon. */
const MAX_IDLE_IN_TRANSACTION_MS = 2_000;
/** What the server does with a client that it hears nothing of: its locks and its place are free soon. No effect on a socket. */
const DEAD_PEER =
  '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=3 -c tcp_keepalives_count=3 -c tcp_user_timeout=15000';
/**
 * A statement that has no answer by then has lost its connection, whatever the network says: the server itself would have
 * ended it before.
 */
const STATEMENT_MS = 15_000;
const ANSWER_MS = 16_000;

/**
 * A bounded pool. `statement_timeout` ends what hangs; the hot path's own statements take milliseconds. A process that is
 * paused within a transaction loses it, and with it the locks that everybody else waits for. A server that only follows
 * another one is refused: what it shows may be old, and money is never read from it.
 */
export function createPool(
  address: pg.ClientConfig,
  options: { max: number; name: string; maxIdleInTransactionMs?: number },
): Pool {
  const pool = new ActingPool({
    ...address,
    options: DEAD_PEER,
    max: options.max,
    application_name: `fairtick ${options.name}`,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    idle_in_transaction_session_timeout: options.maxIdleInTransactionMs ?? MAX_IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    onConnect: refuseStandby,
  });
  // An idle connection that breaks is replaced at the next use; whoever used it gets the error itself.
  pool.on('error', () => {});
  return pool;
}

type Taken = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: boolean | Error) => void,
) => void;

/** Each connection acts under the session of staff of whoever takes it, or under none. */
class ActingPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Taken): undefined;
  override connect(callback?: Taken): Promise<pg.PoolClient> | undefined {
    const taken = this.#take(actingHash());
    if (!callback) return taken;
    taken.then(
      (client) => callback(undefined, client, (release) => client.release(release)),
      (error: Error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }

  async #take(tokenHash: Buffer | undefined): Promise<pg.PoolClient> {
    const client = await super.connect();
    try {
      await tellActing(client, tokenHash);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

/** After a failover an address may still lead to the old server for a moment, or to one that is not promoted yet. */
export async function refuseStandby(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby) throw new StandbyError('this server follows another one');
}

/** The address leads to a standby now; in a moment it will not. */
export class StandbyError extends Error {}

/**
 * Runs `work` in one transaction and commits. Any error rolls back and is thrown on; one that the caller of `work` swallowed
 * is thrown by the commit, which PostgreSQL then answers with a rollback. The isolation is the one that our locks are made
 * for, whatever the server's default is: each statement sees what was committed before it began.
 * @throws UnknownOutcomeError when the connection was lost during COMMIT, or the standby did not confirm it
 */
export async function transaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks between two statements says so at once; whoever makes the next one gets the error.
  client.on('error', ignore);
  let isCommitting = false;
  let isBroken = false;
  try {
    await client.query('begin isolation level read committed');
    const result = await work(client);
    isCommitting = true;
    await commit(client);
    isCommitting = false;
    return result;
  } catch (error) {
    // On a lost connection this fails, and the connection is not used again. One that is silent would be waited for twice.
    isBroken = isSilence(error);
    if (!isBroken) {
      await client.query('rollback').catch(() => {
        isBroken = true;
      });
    }
    if (isCommitting && isLeftOpen(error)) throw new UnknownOutcomeError(error);
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(isBroken);
  }
}

function ignore(): void {}

/**
 * Commits. A warning beside it says that the wait for a synchronous standby was cancelled: the transaction is on the
 * disk of this machine and perhaps on no other, so nobody may be told that it is done.
 */
async function commit(client: Client): Promise<void> {
  let warning: unknown = null;
  const onNotice = (notice: { code?: string | undefined }) => {
    if (notice.code?.startsWith('01')) warning = notice;
  };
  client.on('notice', onNotice);
  try {
    const done = await client.query('commit');
    if (done.command !== 'COMMIT') throw new HiddenError('the transaction was rolled back: it hid an error');
  } finally {
    client.off('notice', onNotice);
  }
  if (warning) throw new UnknownOutcomeError(warning);
}

class HiddenError extends Error {}

/** The connection was lost during COMMIT: it may or may not have happened. */
export class UnknownOutcomeError extends Error {
  constructor(cause: unknown) {
    super('the outcome of the commit is unknown', { cause });
  }
}

/** Whether an error of COMMIT leaves it open what became of it. */
function isLeftOpen(error: unknown): boolean {
  return !(error instanceof HiddenError || error instanceof UnknownOutcomeError || isServerAlive(error));
}

/** No answer came within the time in which any statement ends. */
function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/**
 * Whether the server reported the error and kept the connection. One that ends the connection says so with an SQLSTATE too,
 * and may do so between making a commit durable and answering it.
 */
function isServerAlive(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity !== 'FATAL' && error.severity !== 'PANIC';
}

export function sqlState(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof pg.DatabaseError && typeof code === 'string' ? code : null;
}

/** An array as PostgreSQL writes it. The driver's own way, which quotes each element, costs more than most of our decisions. */
export function array(values: readonly (number | bigint | string)[]): string {
  return `{${values.join(',')}}`;
}
