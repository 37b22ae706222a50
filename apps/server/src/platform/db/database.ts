import pg from 'pg';
import { actingHash, tellActing } from './acting-staff.ts';
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts';
import { MarkedClient } from './request-mark.ts';
import { refuseBranch } from './restored.ts';
import { CHAIN_ROLE, SERVER_ROLE, serverAddressOf } from './server-login.ts';
import { superuserOf, withClient } from './with-client.ts';

// int8 is returned as a string; its reader converts it to bigint (money) or number (a count or time).
export type Row = Record<string, unknown>;
export type Pool = pg.Pool;
export type Client = pg.PoolClient;

export interface Queryable {
  query<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<R>>;
  query<R extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<R>>;
}

/**
 * Addresses of the database: `admin` logs in as the schema's owner, `server` and `chain` have only what `schema/rights.sql` grants
 * them. `chain` is null where this process does not know it.
 */
export interface DatabaseAddress {
  readonly admin: pg.ClientConfig;
  readonly server: pg.ClientConfig;
  readonly chain: pg.ClientConfig | null;
  /** A standby, as the server's role; null: none. */
  readonly standby: pg.ClientConfig | null;
  readonly embedded: EmbeddedPostgres | null;
}

const DATABASE = 'fairtick';
const OWNER = 'fairtick_owner';

export async function openDatabase(
  options: {
    databaseUrl: string | null;
    databaseServerUrl?: string | null;
    databaseChainUrl?: string | null;
    databaseReadUrl?: string | null;
    dataDir: string;
    backupDir: string | null;
  },
  say: (text: string) => void,
): Promise<DatabaseAddress> {
  const { databaseUrl, databaseServerUrl = process.env.DATABASE_SERVER_URL || null } = options;
  const chainOfOwner = databaseUrl === null ? null : serverAddressOf(databaseUrl, CHAIN_ROLE);
  const chain = options.databaseChainUrl ? { connectionString: options.databaseChainUrl } : chainOfOwner;
  const standby = options.databaseReadUrl ? { connectionString: options.databaseReadUrl } : null;
  if (databaseServerUrl !== null) {
    const server = { connectionString: databaseServerUrl };
    // Without the owner's address, `admin` is the server's own and has no rights of the owner.
    return {
      admin: databaseUrl === null ? server : { connectionString: databaseUrl },
      server,
      chain,
      standby,
      embedded: null,
    };
  }
  if (databaseUrl !== null) {
    const admin = { connectionString: databaseUrl };
    return { admin, server: serverAddressOf(databaseUrl), chain, standby, embedded: null };
  }
  if (options.backupDir !== null) refuseBranch(options.dataDir, options.backupDir);
  const embedded = await startEmbedded(options.dataDir, say, {}, options.backupDir);
  await prepareEmbedded(embedded.socketDir);
  const base = { host: embedded.socketDir, database: DATABASE };
  return {
    admin: { ...base, user: OWNER },
    server: { ...base, user: SERVER_ROLE },
    chain: { ...base, user: CHAIN_ROLE },
    standby,
    embedded,
  };
}

function prepareEmbedded(socketDir: string): Promise<void> {
  return withClient(superuserOf(socketDir), 'start', async (client) => {
    const { rows } = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (rows.length > 0) return;
    await client.query(`do $$ begin
      if not exists (select from pg_roles where rolname = '${OWNER}') then create role ${OWNER} login createrole; end if;
    end $$`);
    await client.query(`create database ${DATABASE} owner ${OWNER}`);
  });
}

/** Slightly longer than a lease, so that the locks of a paused leader that has lost its role end soon. */
const MAX_IDLE_IN_TRANSACTION_MS = 2_000;
/** Keepalives free the locks of a silent client. Compiling (jit) takes longer than the short statements. Days are those of UTC. */
const SESSION_SETTINGS =
  '-c timezone=UTC -c jit=off -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=3 -c tcp_keepalives_count=3 -c tcp_user_timeout=15000';
/** A statement without an answer by then has lost its connection: the server would have ended it before. */
const STATEMENT_MS = 15_000;
const ANSWER_MS = 16_000;
/** Where a standby has not answered by then, the primary is asked. */
const STANDBY_MS = 1_500;

/** A process that is paused within a transaction loses it, and with it the locks that others wait for. */
export function createPool(
  address: pg.ClientConfig,
  options: { max: number; name: string; maxIdleInTransactionMs?: number; isStandby?: boolean },
): Pool {
  const pool = new ActingPool({
    ...address,
    Client: MarkedClient,
    options: SESSION_SETTINGS,
    max: options.max,
    application_name: `fairtick ${options.name}`,
    connectionTimeoutMillis: options.isStandby ? STANDBY_MS : 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: STATEMENT_MS,
    query_timeout: options.isStandby ? STANDBY_MS : ANSWER_MS,
    idle_in_transaction_session_timeout: options.maxIdleInTransactionMs ?? MAX_IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    onConnect: options.isStandby ? undefined : refuseStandby,
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

/** Bad data (22), a broken constraint (23), a lost race (40), refusals of our own functions (FT, P0). All others may mean a lost server. */
const HARMLESS = /^(22|23|40|FT|P0)/;

/** Whether a statement failed for what it asks, and would fail anywhere. */
export const isOfQuestion = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(22|23|FT|P0)/.test(error.code ?? '');

/** The pool's own `query` discards the connection after every error, and a new one takes some 20 ms of processor time. */
function keepAfterRefusal(client: pg.PoolClient): void {
  const { release } = client;
  client.release = (error) => {
    const isHarmless = error instanceof pg.DatabaseError && HARMLESS.test(error.code ?? '');
    release(isHarmless ? undefined : error);
  };
}

/** After a failover an address may lead to a server with old data for a moment. */
export async function refuseStandby(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby) throw new StandbyError('this server follows another one');
}

export class StandbyError extends Error {}

/**
 * Any error rolls back and is rethrown; one that `work` swallowed is thrown by the commit. The locks are designed for this isolation level,
 * whatever the server's default is.
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

/** A warning at COMMIT means that the wait for a synchronous standby was cancelled: the transaction must not be reported as done. */
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

export class UnknownOutcomeError extends Error {
  constructor(cause: unknown) {
    super('the outcome of the commit is unknown', { cause });
  }
}

function isLeftOpen(error: unknown): boolean {
  return !(error instanceof HiddenError || error instanceof UnknownOutcomeError || isServerAlive(error));
}

function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** An error that ends the connection has an SQLSTATE too, and may come after the commit is durable and before its answer. */
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

/** A PostgreSQL array literal; the driver's own, which quotes each element, is slow. */
export function array(values: readonly (number | bigint | string)[]): string {
  return `{${values.join(',')}}`;
}
