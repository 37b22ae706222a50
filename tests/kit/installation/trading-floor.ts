import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../apps/server/src/config/config.ts';
import { type Answer, type CallOptions, postUntilHeard } from '../clients/api-client.ts';
import { House } from './house.ts';
import { ManualFeed } from './manual-feed.ts';
import { type RunningApi, startApi } from './running-api.ts';

const GRID_MS = 250;

/** An installation whose prices and clock the test sets, and an API process that serves it. */
export class TradingFloor {
  readonly house: House;
  readonly feed: ManualFeed;
  readonly api: RunningApi;
  /** Each product's current price, of all sources. */
  readonly #prices = new Map<string, string>();
  /** Orders that were refused for now, and the log that goes on for them. */
  #refused = 0;
  #log: Promise<void> | null = null;

  private constructor(parts: { house: House; feed: ManualFeed; api: RunningApi }) {
    this.house = parts.house;
    this.feed = parts.feed;
    this.api = parts.api;
  }

  static async open(options: { feed?: ManualFeed; config?: Partial<Config> } = {}): Promise<TradingFloor> {
    const feed = options.feed ?? new ManualFeed();
    // Starts at the current time, so that times of the process's own clock do not lie in the log's future.
    const house = await House.open(feed, Math.ceil(Date.now() / GRID_MS) * GRID_MS);
    return new TradingFloor({ house, feed, api: await startApi(house.db, options.config) });
  }

  get origin(): string {
    return this.api.origin;
  }

  /** The log's time `ms` from now. */
  at(ms: number): number {
    return this.house.clock.targetMs + ms;
  }

  /** Steps the log by one grid time: a tick of every product that has a price, new or last. */
  async tick(prices: Readonly<Record<string, string>> = {}): Promise<void> {
    for (const [symbol, price] of Object.entries(prices)) this.#prices.set(symbol, price);
    for (const [symbol, price] of this.#prices) {
      this.feed.price(this.house.product(symbol), price, this.at(GRID_MS));
    }
    await this.house.stepBy(GRID_MS);
  }

  /**
   * Places an order over HTTP at the log's current time: by default 100 DEMO up on EUR/USD for a minute. While a slow machine
   * refuses it for now, it is sent again with the same key, as the app does, and the log goes on by itself: a log that is silent
   * for half a second takes no orders.
   */
  async order(
    token: string,
    fields: Readonly<Record<string, string>> = {},
    options: CallOptions = {},
  ): Promise<Answer> {
    await this.tick();
    const form = {
      symbol: 'EUR/USD',
      direction: 'up',
      minutes: '1',
      amount: '100',
      asset: 'DEMO',
      ...fields,
    };
    const { key = randomUUID(), ...rest } = options;
    let isRefused = false;
    const again = async () => {
      if (!isRefused) this.#refused += 1;
      isRefused = true;
      this.#log ??= this.#goOn();
      await sleep(GRID_MS);
    };
    try {
      return await postUntilHeard(this.origin, 'order/create', form, { token, ...rest, key }, again);
    } finally {
      if (isRefused) this.#refused -= 1;
      if (this.#refused === 0) await this.#log;
    }
  }

  async #goOn(): Promise<void> {
    while (this.#refused > 0) await Promise.all([this.tick(), sleep(GRID_MS)]);
    this.#log = null;
  }

  /** Opens the orders of this moment at `price`: ticks until the last of them opens. */
  async openAt(symbol: string, price: string): Promise<void> {
    // Acceptances are dated by the database's clock, which is ahead of the log by as long as placing took.
    const { rows } = await this.house.db.server.query<{ last: string }>(
      'select coalesce(max(opens_at_ms), 0) as last from orders',
    );
    while (this.at(0) < Number(rows[0]?.last)) await this.tick({ [symbol]: price });
  }

  /**
   * Passes a minute that ends with `price`, and settles due orders. The price is there for the last fourteen seconds, because on a
   * slow machine orders that opened together were accepted seconds apart.
   */
  async settleAt(symbol: string, price: string): Promise<number> {
    this.#prices.set(symbol, price);
    const product = this.house.product(symbol);
    this.feed.price(product, price, this.at(50_000));
    await this.house.stepBy(50_000);
    for (let ms = 50_000; ms < 64_000; ms += GRID_MS) {
      this.feed.price(product, price, this.at(GRID_MS));
      await this.house.stepBy(GRID_MS);
    }
    return this.house.settle();
  }

  async close(): Promise<void> {
    await this.api.stop();
    await this.house.close();
  }
}
