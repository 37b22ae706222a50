import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Pool, Queryable } from '../db/database.ts';
import type { Channel } from './channels.ts';
import { type Notice, pack, type Wire } from './wire.ts';

const EVERY_MS = 30;
/** How often a process looks whether the one that sends is gone. */
const LOOK_EVERY_MS = 250;
/** A sender that is paused or cut off loses its lock after this long. */
const IDLE_MS = 500;
const AT_ONCE = 5_000;
/** Rows that may wait while nothing can be sent. */
export const MOST_ROWS = 100_000;
const LOCK = 7059;
/** Transaction 0 has the row of a table that was not emptied. */
const FIRST = '1';

/** A sequential scan reads all versions of rows that a long snapshot keeps. */
const SETTINGS = `set idle_session_timeout = ${IDLE_MS}; set idle_in_transaction_session_timeout = ${IDLE_MS};
  set enable_seqscan = off; set enable_bitmapscan = off`;

type Sender = Pick<Wire, 'send' | 'confirm'>;

interface Look {
  readonly floor: string;
  readonly waits: boolean;
  readonly is_whole: boolean;
}

/**
 * Sends what the outbox has, 30 ms after the commit at the latest, all of it by one transaction. Of the processes that run it one does so: the
 * one whose connection has the lock, which the database frees when that process is gone.
 */
export class Notifier {
  readonly #pool: Pool;
  readonly #wire: Sender;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(pool: Pool, wire: Sender, log: Logger) {
    this.#pool = pool;
    this.#wire = wire;
    this.#log = log;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#lead(signal).catch(async (error: unknown) => {
        if (signal.aborted) return;
        this.#log.warn({ err: error }, 'notices could not be sent');
        await boundOutbox(this.#pool).catch(ignore);
      });
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const client = await this.#pool.connect();
    client.on('error', ignore);
    let isAlone = true;
    try {
      isAlone = (await client.query('select pg_try_advisory_lock($1) as got', [LOCK])).rows[0]?.got === true;
      if (!isAlone) return;
      await client.query(SETTINGS);
      let floor = FIRST;
      while (!signal.aborted) {
        floor = await sendWaiting(client, this.#wire, floor);
        await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
      }
    } finally {
      client.off('error', ignore);
      // The lock ends with the connection.
      client.release(isAlone);
    }
  }
}

function ignore(): void {}

/** Puts one row that has all processes read again in the place of too many rows. It is as old as the oldest of them. */
export async function boundOutbox(db: Queryable): Promise<void> {
  await db.query({
    name: 'outbox-bound',
    text: `with gone as (
        delete from outbox where xid > '0' and (select count(*) from (select from outbox limit ${MOST_ROWS + 1}) o) > ${MOST_ROWS}
        returning at
      ) insert into outbox (channel, payload, at) select 'missed', '', min(at) from gone having count(*) > 0`,
  });
}

/**
 * Sends and deletes what waits in the outbox. An error leaves a transaction open: the connection must be closed.
 * @param floor what has an older transaction is sent; versions of rows that long snapshots keep are not read again
 * @returns the floor of the next call: the oldest transaction that had not ended
 */
export async function sendWaiting(client: pg.ClientBase, wire: Sender, floor = FIRST): Promise<string> {
  const { rows } = await client.query<Look & pg.QueryResultRow>({
    name: 'outbox-look',
    text: `select pg_snapshot_xmin(pg_current_snapshot()) as floor, exists (select from outbox where xid >= $1) as waits,
      exists (select from outbox where xid = '0') as is_whole`,
    values: [floor],
  });
  const look = rows[0] as Look;
  if (look.is_whole && !look.waits) return look.floor;
  await client.query('begin');
  const notices = await takeWaiting(client, floor);
  if (!look.is_whole) {
    await client.query(`insert into outbox (xid, channel, payload) values ('0', 'missed', '')`);
    notices.push({ channel: 'missed', payload: '' });
  }
  const isAll = notices.length < AT_ONCE;
  await wire.send(client, pack(notices));
  await wire.confirm();
  await client.query('commit');
  return isAll ? look.floor : sendWaiting(client, wire, floor);
}

async function takeWaiting(client: pg.ClientBase, floor: string): Promise<Notice[]> {
  const { rows } = await client.query<{ channel: Channel; payload: string }>({
    name: 'outbox-take',
    text: `delete from outbox where ctid = any (array(select ctid from outbox where xid >= $1 order by xid limit ${AT_ONCE}))
      returning channel, payload`,
    values: [floor],
  });
  return rows;
}
