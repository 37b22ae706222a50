import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import type { Queryable } from '../db/database.ts';
import type { Channel } from './channels.ts';
import type { Notice, Wire } from './wire.ts';

/** Servers of an installation are its own, or an account of its own: others' notices would be read, too. */
const SUBJECT = 'fairtick';
const RETRY_MS = 250;
/** A connection that the network has dropped is given up after two unanswered pings. */
const PING_MS = 1_000;
const ANSWER_MS = 1_000;
/** How often all is read again while no server can be reached. */
const AWAY_MS = 5_000;

type Ears = Parameters<Wire['hear']>;

/** Sends and hears over NATS, without JetStream. It connects in the background: prices do not wait for a server of NATS. */
export class NatsWire implements Wire {
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #connection: NatsConnection | null = null;
  #isUp = false;
  #ears: Ears | null = null;

  /** @param url addresses of one or more servers, with commas between */
  constructor(url: string, log: Logger) {
    this.#log = log;
    this.#running = this.#run(natsOptions(url));
  }

  async send(_db: Queryable, notices: readonly Notice[]): Promise<void> {
    const connection = this.#demand();
    for (const { channel, payload } of notices) connection.publish(`${SUBJECT}.${channel}`, payload);
  }

  async confirm(): Promise<void> {
    await answered(this.#demand());
  }

  async hear(...ears: Ears): Promise<void> {
    this.#ears = ears;
    if (this.#connection && this.#isUp) await this.#subscribe(this.#connection);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#connection?.close();
    await this.#running;
  }

  #demand(): NatsConnection {
    if (!this.#connection || !this.#isUp) throw new Error('no server of NATS can be reached');
    return this.#connection;
  }

  async #run(options: NodeConnectionOptions): Promise<void> {
    const { signal } = this.#stopping;
    const again = setInterval(() => this.#isUp || this.#ears?.[2](), AWAY_MS);
    let isTold = false;
    while (!signal.aborted) {
      try {
        this.#connection = await connect(options);
        isTold = false;
        if (signal.aborted) await this.#connection.close();
        else await this.#follow(this.#connection);
      } catch (error) {
        if (!isTold) this.#log.warn({ err: error }, 'NATS can’t be reached');
        isTold = true;
      }
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
    clearInterval(again);
  }

  /** Until the connection is lost. A new one is made then, so that it begins with all subscriptions. */
  async #follow(connection: NatsConnection): Promise<void> {
    try {
      this.#isUp = true;
      if (this.#ears) await this.#subscribe(connection);
      const error = await connection.closed();
      if (!this.#stopping.signal.aborted) this.#log.warn({ err: error }, 'the connection to NATS was lost');
    } finally {
      this.#isUp = false;
      await connection.close();
    }
  }

  async #subscribe(connection: NatsConnection): Promise<void> {
    const [channels, take, missed] = this.#ears as Ears;
    for (const channel of channels) {
      connection.subscribe(`${SUBJECT}.${channel}`, {
        callback: (error, message) => {
          if (!error) take({ channel: channel as Channel, payload: message.string() });
        },
      });
    }
    await answered(connection);
    missed();
  }
}

/** @throws if the server has not answered in time; what was published may be lost then */
async function answered(connection: NatsConnection): Promise<void> {
  const late = new AbortController();
  try {
    await Promise.race([
      connection.flush(),
      sleep(ANSWER_MS, undefined, { signal: late.signal }).then(() => {
        throw new Error('NATS does not answer');
      }),
    ]);
  } finally {
    late.abort();
  }
}

function natsOptions(text: string): NodeConnectionOptions {
  const urls = text.split(',').map((one) => new URL(one));
  const [{ username, password, protocol }] = urls as [URL];
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || 4222}`),
    ...(password !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(password === '' && username !== '' && { token: decodeURIComponent(username) }),
    ...(protocol === 'tls:' && { tls: {} }),
    name: 'fairtick',
    reconnect: false,
    timeout: 3_000,
    pingInterval: PING_MS,
    maxPingOut: 2,
  };
}
