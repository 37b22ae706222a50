import { randomBytes, randomInt } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal, JournalEntry } from '../judges/journal.ts';

const TIMEOUT_MS = 8_000;
/** More than two API processes accept at once, and fewer than the balancer does. */
export const MAX_SOCKETS = 5_000;
const MAX_PAUSE_MS = 60;
/** No order has its answer this soon: its batch has to be on disk first. */
const TOO_SOON_MS = 2;
const PASSWORD = 'a long enough one';
const REGISTERED_AT_ONCE = 8;
/** On average, after one of this many orders the customer sets a limit, wide enough that it refuses nothing. */
const ORDERS_PER_LIMIT = 200;

interface Envelope {
  readonly code: number;
  readonly error?: string;
  readonly data: { readonly id: string; readonly token: string };
}

/** Customers who place orders over HTTP without end and record the answers. */
export class LoadClient {
  readonly #origin: string;
  readonly #journal: Journal;
  readonly #tokens: Map<string, string>;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
  /** When the newest order was sent, in ms of `performance.now()`. */
  #newestMs = Number.NEGATIVE_INFINITY;
  /** Called at the first byte of every answer to an order, with whether another order is on its way, sent too late to have its answer. */
  onAnswer: (isAnotherUnderWay: boolean) => void = () => {};

  constructor(origin: string, journal: Journal, tokens = new Map<string, string>()) {
    this.#origin = origin;
    this.#journal = journal;
    this.#tokens = tokens;
  }

  /** The same customers at another address. */
  at(origin: string): LoadClient {
    return new LoadClient(origin, this.#journal, this.#tokens);
  }

  /** Customers and their sessions. */
  get sessions(): readonly (readonly [account: string, token: string])[] {
    return [...this.#tokens];
  }

  /** Registers a few at a time: password hashing is queued, and a request that waits too long counts as unanswered. */
  async register(count: number): Promise<void> {
    let left = count;
    const some = async () => {
      while (left-- > 0) await this.#registerOne();
    };
    await Promise.all(Array.from({ length: REGISTERED_AT_ONCE }, some));
  }

  async #registerOne(): Promise<void> {
    const account = `k${randomBytes(7).toString('hex')}`;
    const form = { account, password: PASSWORD, confirmPassword: PASSWORD };
    const { envelope } = await this.#post('user/register', form, {});
    if (envelope.code !== 1) throw new Error(`registration was refused: ${envelope.error}`);
    this.#tokens.set(account, envelope.data.token);
  }

  /**
   * All customers trade at once; each stops when `signal` aborts or at its first missing answer.
   * @param maxPauseMs between a customer's orders; short pauses spend the practice money before the first order is settled
   */
  async trade(symbols: readonly string[], signal: AbortSignal, maxPauseMs = MAX_PAUSE_MS): Promise<void> {
    await Promise.all(
      [...this.#tokens.keys()].map(async (account) => {
        while (!signal.aborted) {
          const entry = await this.place({
            key: randomBytes(16).toString('hex'),
            account,
            symbol: symbols[randomInt(symbols.length)] as string,
            direction: randomInt(2) ? 'up' : 'down',
            amount: `${randomInt(10, 15)}.${String(randomInt(1_000_000)).padStart(6, '0')}`,
          });
          if (entry.outcome === 'unknown') return;
          if (entry.error === 'REAUTH_REQUIRED') await this.#reauthenticate(account);
          if (randomInt(ORDERS_PER_LIMIT) === 0 && !(await this.#limit(account))) return;
          await sleep(randomInt(maxPauseMs));
        }
      }),
    );
  }

  /** Enters the password again: an hour has passed, or a set clock makes it seem so. */
  async #reauthenticate(account: string): Promise<void> {
    const token = this.#tokens.get(account) as string;
    const { envelope } = await this.#post('user/reauth', { password: PASSWORD }, { token });
    if (envelope.code !== 1) throw new Error(`the password was refused: ${envelope.error}`);
  }

  /** Returns whether the server answered. */
  async #limit(account: string): Promise<boolean> {
    const limit = { asset: 'DEMO', kind: randomInt(2) ? 'stake' : 'loss', per: 'month', amount: '100000000' };
    return this.#post('protection/setLimit', limit, { token: this.#tokens.get(account) as string }).then(
      ({ status }) => status < 500,
      () => false,
    );
  }

  /** Sends an order, or the same one again; the request and its outcome are on disk when this settles. */
  async place(order: Omit<JournalEntry, 'outcome' | 'orderId' | 'error'>): Promise<JournalEntry> {
    const { key, account, symbol, direction, amount } = order;
    await this.#journal.record({ ...order, outcome: 'sent' });
    const entry = await this.#outcomeOf(order, () => {
      const sentMs = performance.now();
      this.#newestMs = sentMs;
      return this.#post(
        'order/create',
        { symbol, direction, minutes: '1', amount, asset: 'DEMO' },
        { token: this.#tokens.get(account) as string, 'idempotency-key': key },
        () => this.onAnswer(this.#newestMs > Math.max(sentMs, performance.now() - TOO_SOON_MS)),
      );
    });
    await this.#journal.record(entry);
    return entry;
  }

  async #outcomeOf(
    order: Omit<JournalEntry, 'outcome' | 'orderId' | 'error'>,
    send: () => Promise<{ status: number; envelope: Envelope }>,
  ): Promise<JournalEntry> {
    const { key, account, symbol, direction, amount } = order;
    const known = { key, account, symbol, direction, amount };
    try {
      const { status, envelope } = await send();
      if (envelope.code === 1) return { ...known, outcome: 'ok', orderId: envelope.data.id };
      const error = envelope.error ?? `HTTP ${status}`;
      // A 5xx answer means an error, not that the order was not placed.
      return { ...known, outcome: status >= 500 ? 'unknown' : 'refused', error };
    } catch (error) {
      return { ...known, outcome: 'unknown', error: String(error) };
    }
  }

  #post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
    onFirstByte: () => void = () => {},
  ): Promise<{ status: number; envelope: Envelope }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; envelope: Envelope }>();
    const call = request(
      `${this.#origin}/api/${path}`,
      {
        method: 'POST',
        agent: this.#agent,
        timeout: TIMEOUT_MS,
        headers: { ...headers, language: 'en', 'content-type': 'application/x-www-form-urlencoded' },
      },
      (response: IncomingMessage) => {
        onFirstByte();
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          try {
            resolve({
              status: response.statusCode ?? 0,
              envelope: JSON.parse(Buffer.concat(chunks).toString()),
            });
          } catch (error) {
            reject(error as Error);
          }
        });
      },
    );
    call.on('timeout', () => call.destroy(new Error('no answer in time')));
    call.on('error', reject);
    call.end(new URLSearchParams({ ...fields, lang: 'en' }).toString());
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}
