import type { Client, Pool } from '../../../apps/server/src/platform/db/database.ts';
import { until } from '../waiting/until.ts';

/** A proxy of `target` with some members replaced. */
function stand<T extends object>(target: T, replaced: Record<string, unknown>): T {
  return new Proxy(target, {
    get(_target, name) {
      if (typeof name === 'string' && name in replaced) return replaced[name];
      const member = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/**
 * A pool whose transactions stop before their COMMIT until the test releases them: the moment in which a slow disk, a frozen
 * process or a crash matters. Everything else is the pool's own.
 */
export class HeldCommits {
  readonly pool: Pool;
  readonly #reached = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();

  constructor(pool: Pool) {
    const connect = async () => {
      const client = await pool.connect();
      const query = async (...args: Parameters<typeof client.query>) => {
        if ((args as unknown[])[0] === 'commit') {
          this.#reached.resolve();
          await this.#released.promise;
        }
        return client.query(...args);
      };
      return stand(client, { query });
    };
    this.pool = stand(pool, { connect });
  }

  /** Settles when a transaction waits before its COMMIT. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  release(): void {
    this.#released.resolve();
  }
}

/** Waits until a backend of this database waits for a lock. */
export async function untilBlocked(pool: Pool, waiters = 1): Promise<void> {
  await until(async () => {
    const { rows } = await pool.query<{ count: number }>(
      `select count(distinct l.pid)::int as count from pg_locks l join pg_stat_activity a using (pid)
       where not l.granted and a.datname = current_database()`,
    );
    return (rows[0]?.count ?? 0) >= waiters;
  });
}

/** A fault at a statement: its connection dies before it, or after it and before its answer; or other work runs meanwhile. */
export type Mishap = 'before' | 'after' | (() => Promise<void>);

/**
 * A pool whose connections break at a planned statement: the n-th from now, counted over the whole pool. The server really cuts
 * the connection, so the error is the driver's own.
 */
export class FragilePool {
  readonly pool: Pool;
  #left = 0;
  #mishap: Mishap | null = null;

  constructor(pool: Pool) {
    const connect = async () => {
      const client = await pool.connect();
      const query = (...args: unknown[]) => this.#query(client, args);
      return stand(client, { query });
    };
    const query = async (...args: unknown[]) => {
      const client = await pool.connect();
      client.on('error', ignore);
      let isBroken = true;
      try {
        const result = await this.#query(client, args);
        isBroken = false;
        return result;
      } finally {
        client.off('error', ignore);
        client.release(isBroken);
      }
    };
    this.pool = stand(pool, { connect, query });
  }

  /** The n-th statement from now, counted from 1. */
  plan(statement: number, mishap: Mishap): void {
    this.#left = statement;
    this.#mishap = mishap;
  }

  /** Whether the planned fault has not come yet. */
  get isPlanned(): boolean {
    return this.#mishap !== null;
  }

  /** Cancels the planned fault. */
  calm(): void {
    this.#mishap = null;
  }

  async #query(client: Client, args: unknown[]): Promise<unknown> {
    const send = () => (client.query as (...all: unknown[]) => Promise<unknown>).apply(client, args);
    if (this.#mishap === null || --this.#left > 0) return send();
    const mishap = this.#mishap;
    this.#mishap = null;
    if (typeof mishap === 'function') {
      await mishap();
      return send();
    }
    if (mishap === 'after') await send();
    await cut(client);
    // The connection is cut, so this fails with the driver's own error.
    return send();
  }
}

/** Ends the connection from the server's side, and waits until this side has noticed. */
async function cut(client: Client): Promise<void> {
  const ended = new Promise((resolve) => client.once('end', resolve));
  try {
    await client.query('select pg_terminate_backend(pg_backend_pid())');
  } catch {
    // Expected: the connection is gone.
  }
  await ended;
}

function ignore(): void {}
