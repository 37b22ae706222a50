import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';

type Handler = (payload: string) => void;

const RETRY_MS = 300;
/**
 * How often the connection is checked, and how soon it must answer: a connection that the network has dropped looks idle
 * for hours.
 */
const ASK_EVERY_MS = 1_000;
const ANSWER_MS = 3_000;

/**
 * Notices of other processes on the same database. A notice only says that there is something to read, so one that is
 * missed while the connection is down costs only a delay: after every (re)connection all handlers are called once with
 * an empty payload.
 */
export class Listener {
  readonly #address: pg.ClientConfig;
  readonly #log: Logger;
  readonly #handlers = new Map<string, Handler[]>();
  #client: pg.Client | null = null;
  #isStopped = false;

  constructor(address: pg.ClientConfig, log: Logger) {
    this.#address = address;
    this.#log = log;
  }

  on(channel: 'log' | 'orders' | 'earnings' | 'notices' | 'sessions' | 'chat', handler: Handler): void {
    this.#handlers.set(channel, [...(this.#handlers.get(channel) ?? []), handler]);
  }

  async start(): Promise<void> {
    await this.#connect();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      ...this.#address,
      application_name: 'fairtick listener',
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    });
    client.on('error', () => {});
    client.on('notification', ({ channel, payload }) => this.#tell(channel, payload ?? ''));
    client.on('end', () => {
      if (this.#client === client && !this.#isStopped) void this.#reconnect();
    });
    try {
      await client.connect();
      for (const channel of this.#handlers.keys()) await client.query(`listen ${channel}`);
    } catch (error) {
      void client.end();
      throw error;
    }
    this.#client = client;
    if (this.#isStopped) return this.stop();
    for (const channel of this.#handlers.keys()) this.#tell(channel, '');
    void this.#ask(client);
  }

  /** Ends the connection once it is silent; its end triggers a new one. */
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

  async #reconnect(): Promise<void> {
    this.#log.warn('the listening connection was lost');
    while (!this.#isStopped) {
      try {
        await sleep(RETRY_MS);
        await this.#connect();
        return;
      } catch {
        // The database is still away; the pool's users report it.
      }
    }
  }

  #tell(channel: string, payload: string): void {
    for (const handler of this.#handlers.get(channel) ?? []) handler(payload);
  }
}
