import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Queryable } from '../db/database.ts';
import type { Channel } from './channels.ts';
import type { Notice, Wire } from './wire.ts';

const RETRY_MS = 300;
/** A connection that the network has dropped looks idle for hours. */
const ASK_EVERY_MS = 1_000;
const ANSWER_MS = 3_000;

export const BY_NOTIFY: Pick<Wire, 'send'> = {
  send: async (db, all) => {
    const notices = all.filter(({ channel }) => channel !== 'steps');
    await db.query({
      name: 'notify',
      text: 'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as n (channel, payload)',
      values: [notices.map(({ channel }) => channel), notices.map(({ payload }) => payload)],
    });
  },
};

/** Sends by NOTIFY; hears by LISTEN over a connection of its own. */
export class PostgresWire implements Wire {
  readonly #address: pg.ClientConfig;
  readonly #log: Logger;
  #client: pg.Client | null = null;
  #isStopped = false;

  constructor(address: pg.ClientConfig, log: Logger) {
    this.#address = address;
    this.#log = log;
  }

  send(db: Queryable, notices: readonly Notice[]): Promise<void> {
    return BY_NOTIFY.send(db, notices);
  }

  /** The commit confirms it. */
  async confirm(): Promise<void> {}

  async hear(
    channels: readonly Channel[],
    take: (notice: Notice) => void,
    missed: () => void,
  ): Promise<void> {
    const client = new pg.Client({
      ...this.#address,
      application_name: 'fairtick listener',
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    });
    client.on('error', () => {});
    client.on('notification', ({ channel, payload }) =>
      take({ channel: channel as Channel, payload: payload ?? '' }),
    );
    client.on('end', () => {
      if (this.#client === client && !this.#isStopped) void this.#reconnect(channels, take, missed);
    });
    try {
      await client.connect();
      for (const channel of channels) await client.query(`listen ${channel}`);
    } catch (error) {
      void client.end();
      throw error;
    }
    this.#client = client;
    if (this.#isStopped) return this.stop();
    missed();
    void this.#ask(client);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#client?.end().catch(() => {});
  }

  async #ask(client: pg.Client): Promise<void> {
    while (this.#client === client && !this.#isStopped) {
      await sleep(ASK_EVERY_MS, undefined, { ref: false });
      try {
        await client.query('select 1');
      } catch {
        void client.end();
        return;
      }
    }
  }

  async #reconnect(...ears: Parameters<Wire['hear']>): Promise<void> {
    this.#log.warn('the listening connection was lost');
    while (!this.#isStopped) {
      try {
        await sleep(RETRY_MS);
        await this.hear(...ears);
        return;
      } catch {
        // The database is still away; the pool's users report it.
      }
    }
  }
}
