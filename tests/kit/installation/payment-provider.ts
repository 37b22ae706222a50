import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Payouts } from '../../../apps/server/src/money/withdrawals/payouts.ts';

/**
 * What the provider does with a request: it pays and answers (`pays`); pays and cuts the line (`silent`); pays, and answers when the
 * test lets it (`late`); cuts the line and pays nothing (`down`).
 */
export type Manner = 'pays' | 'silent' | 'late' | 'down';

/** A payment provider on loopback. It pays once for each key, as an idempotent interface of a bank does. */
export class PaymentProvider {
  /** What was paid, by key. */
  readonly payments = new Map<string, { readonly id: string; readonly reference: string }>();
  manner: Manner = 'pays';
  /** The number of requests. */
  asked = 0;
  /** The newest request. */
  last: object = {};
  /** The number of payments whose answer waits for {@link answer}. */
  waiting = 0;
  /** Names every payment from now on; null: each has its own name. */
  reference: string | null = null;
  /** Runs when a request has come, before anything is paid. */
  onAsked: () => Promise<void> | void = () => {};
  /** Runs when a payment was made, before it is answered. */
  onPaid: () => Promise<void> | void = () => {};
  #answers = Promise.withResolvers<void>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  static async open(): Promise<PaymentProvider> {
    const provider = new PaymentProvider();
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The payments of one withdrawal. */
  of(id: string): number {
    return [...this.payments.values()].filter((payment) => payment.id === id).length;
  }

  /** Sends the answers that are late. */
  answer(): void {
    this.#answers.resolve();
    this.#answers = Promise.withResolvers();
  }

  async close(): Promise<void> {
    this.answer();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = JSON.parse(await text(request)) as { key: string; id: string };
    const { key, id } = asked;
    this.last = asked;
    this.asked += 1;
    await this.onAsked();
    if (this.manner === 'down') return void request.socket.destroy();
    const payment = this.payments.get(key) ?? {
      id,
      reference: this.reference ?? `provider ${this.payments.size + 1} of ${id}`,
    };
    this.payments.set(key, payment);
    await this.onPaid();
    if (this.manner === 'silent') return void request.socket.destroy();
    if (this.manner === 'late') {
      this.waiting += 1;
      await this.#answers.promise;
      this.waiting -= 1;
    }
    response.end(JSON.stringify({ reference: payment.reference }));
  }
}

/** As an operator would connect that provider. It does not heed the signal, so that its answers can come late. */
export const payoutsAt = (origin: string, answerMs = 60_000): Payouts => ({
  name: 'Test Bank',
  answerMs,
  send: async (payout) => {
    const answer = await fetch(origin, { method: 'POST', body: JSON.stringify(payout) });
    return ((await answer.json()) as { reference: string }).reference;
  },
});
