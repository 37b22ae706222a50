import pg from 'pg';
import { actingHash, tellActing } from './acting-staff.ts';
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts';
import { MarkedClient } from './request-mark.ts';
import { refuseBranch } from './restored.ts';
import { SERVER_ROLE, serverAddressOf } from './server-login.ts';

// int8 is returned as a string; its reader converts it to bigint (money) or number (a count or time).
export type Row = Record<string, unknown>;
export type Pool = pg.Pool;
export type Client = pg.PoolClient;

/** Anything that runs a statement: a pool, or a client inside a transaction. */
export interface Queryable {
  query<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<R>>;
  query<R extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<R>>;
}

/** Addresses of the database: `admin` logs in as the schema's owner, `server` has only what `schema/rights.sql` grants it. */
export interface DatabaseAddress {
  readonly admin: pg.ClientConfig;
  readonly server: pg.ClientConfig;
  readonly embedded: EmbeddedPostgres | null;
}

const DATABASE = 'fairtick';
const OWNER = 'fairtick_owner';

/** Opens the database: an external server by its address, or the embedded one, which is started and prepared. */
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
    // Without the owner's address, `admin` is the server's own and has no rights of the owner.
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

/** Creates the embedded server's roles and database once. */
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

/** Slightly longer than a lease, so that the locks of a paused leader that has lost its role end soon. */
const MAX_IDLE_IN_TRANSACTION_MS = 2_000;
/**
 * Settings of each connection. The keepalives let the server drop a silent client, so that its locks and its connection slot
 * are free soon; they have no effect on a Unix socket. Compiling a statement (jit) takes longer than the short statements run.
 * A day of the app is a day in UTC, whatever zone the database's machine has.
 */
const SESSION_SETTINGS =
  '-c timezone=UTC -c jit=off -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=3 -c tcp_keepalives_count=3 -c tcp_user_timeout=15000';
/**
 * A statement without an answer by then has lost its connection, whatever the network reports, because the server would
 * have ended it before.
 */
const STATEMENT_MS = 15_000;
const ANSWER_MS = 16_000;

/**
 * A bounded pool. `statement_timeout` ends statements that hang; those of the hot path take milliseconds. A process that
 * is paused within a transaction loses it, and with it the locks that others wait for. A standby is refused, because it
 * may show old data and money must not be read from it.
 */
export function createPool(
  address: pg.ClientConfig,
  options: { max: number; name: string; maxIdleInTransactionMs?: number },
): Pool {
  const pool = new ActingPool({
    ...address,
    Client: MarkedClient,
    options: SESSION_SETTINGS,
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
  // A broken idle connection is replaced at the next use; a broken one in use fails its statement.
  pool.on('error', () => {});
  return pool;
}

type Taken = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: boolean | Error) => void,
) => void;

/** Sets the acting session of staff, or none, on each connection that is taken. */
class ActingPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Taken): undefined;
  override connect(callback?: Taken): Promise<pg.PoolClient> | undefined {
    const taken = this.#take(actingHash());
    if (!callback) return taken;
    taken.then(
      (client) => {
        keepAfterRefusal(client);
        callback(undefined, client, (release) => client.release(release));
      },
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

/**
 * SQL states after which a connection is as good as before: bad data (22), a broken constraint (23), a lost race (40), refusals of
 * our own functions (FT, P0). All others may mean another server or a lost one.
 */
const HARMLESS = /^(22|23|40|FT|P0)/;

/**
 * The pool's own `query` discards the connection after every error, and a new one takes some 20 ms of processor time: refused
 * requests would cost more than accepted ones.
 */
function keepAfterRefusal(client: pg.PoolClient): void {
  const { release } = client;
  client.release = (error) => {
    const isHarmless = error instanceof pg.DatabaseError && HARMLESS.test(error.code ?? '');
    release(isHarmless ? undefined : error);
  };
}

/** After a failover an address may briefly lead to the old server, or to one that is not promoted yet. */
export async function refuseStandby(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby) throw new StandbyError('this server follows another one');
}

/** The address leads to a standby; a retry reaches the primary soon. */
export class StandbyError extends Error {}

/**
 * Runs `work` in one transaction and commits. Any error rolls back and is rethrown; one that the caller of `work`
 * swallowed is thrown by the commit, which PostgreSQL then answers with a rollback. The isolation level is the one that
 * the locks are designed for (read committed), whatever the server's default is: each statement sees what was committed
 * before it began.
 * @throws UnknownOutcomeError when the connection was lost during COMMIT, or the standby did not confirm it
 */
export async function transaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks between two statements emits an error here; the next statement fails with its own error.
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
    // On a lost connection the rollback fails, and the connection is discarded. After a timeout it is skipped, to avoid
    // a second wait.
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
 * Commits. A warning at COMMIT means that the wait for a synchronous standby was cancelled: the transaction is on this
 * machine's disk and perhaps on no other, so it must not be reported as done.
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

/** The connection was lost during COMMIT, so the transaction may or may not have happened. */
export class UnknownOutcomeError extends Error {
  constructor(cause: unknown) {
    super('the outcome of the commit is unknown', { cause });
  }
}

/** Whether an error of COMMIT leaves the outcome unknown. */
function isLeftOpen(error: unknown): boolean {
  return !(error instanceof HiddenError || error instanceof UnknownOutcomeError || isServerAlive(error));
}

/** Whether a statement got no answer within the time in which the server ends any statement. */
function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/**
 * Whether the server reported the error and kept the connection. An error that ends the connection has an SQLSTATE too,
 * and may come after the commit is durable and before its answer.
 */
function isServerAlive(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity !== 'FATAL' && error.severity !== 'PANIC';
}

/** SQLSTATE of the schema's `refuse`; the refusal's name is the error's constraint. */
const REFUSED = 'FT000';

/** Why the database failed a statement: the refusal's name, or else the SQLSTATE; null for an error of another kind. */
export function failureOf(error: unknown): string | null {
  if (!(error instanceof pg.DatabaseError)) return null;
  return (error.code === REFUSED ? error.constraint : error.code) ?? null;
}

export const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === REFUSED;

/**
 * A PostgreSQL array literal. The driver's own serialisation, which quotes each element, costs more than most of the
 * decisions around it.
 */
export function array(values: readonly (number | bigint | string)[]): string {
  return `{${values.join(',')}}`;
}
