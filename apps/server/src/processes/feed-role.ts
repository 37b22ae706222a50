import { setTimeout as sleep } from 'node:timers/promises';
import type { NoteSigner } from '@fairtick/proof';
import type { Logger } from 'pino';
import type { Feed } from '../market/feeds/feed.ts';
import { LogArchive } from '../market/log/log-archive.ts';
import { readLogHead } from '../market/log/log-head.ts';
import type { Products } from '../market/products.ts';
import { TradingCalendar } from '../market/trading-calendar.ts';
import { RunningClock } from '../market/writer/log-clock.ts';
import { WriterTerm } from '../market/writer/writer-term.ts';
import { failureOf, type Pool } from '../platform/db/database.ts';
import { waitForLease } from '../platform/db/lease.ts';

const RETRY_MS = 500;

/** The feed role: takes the log's lease when it is free, and writes until the lease is lost or the role is stopped. */
export class FeedRole {
  readonly #pool: Pool;
  readonly #feed: Feed;
  readonly #products: Products;
  readonly #signer: NoteSigner;
  readonly #holder: string;
  readonly #log: Logger;
  #isStopped = false;
  #running: Promise<void> | null = null;

  constructor(options: {
    pool: Pool;
    feed: Feed;
    products: Products;
    signer: NoteSigner;
    holder: string;
    log: Logger;
  }) {
    this.#pool = options.pool;
    this.#feed = options.feed;
    this.#products = options.products;
    this.#signer = options.signer;
    this.#holder = options.holder;
    this.#log = options.log;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
    await this.#feed.stop?.();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        const epoch = await this.#acquire();
        if (epoch !== null) await this.#write(epoch);
      } catch (error) {
        this.#log.error({ err: error }, 'the log writer stopped');
        await sleep(RETRY_MS);
      }
    }
  }

  async #acquire(): Promise<number | null> {
    const sight = await waitForLease(
      () => readLogHead(this.#pool),
      () => this.#isStopped,
    );
    if (!sight) return null;
    const { rows } = await this.#pool.query<{ epoch: string | null }>(
      'select log_acquire($1, $2, $3) as epoch',
      [this.#holder, sight.epoch, sight.beat],
    );
    const epoch = rows[0]?.epoch;
    return epoch == null ? null : Number(epoch);
  }

  async #write(epoch: number): Promise<void> {
    const session = await WriterTerm.open(this.#pool, {
      feed: this.#feed,
      products: this.#products,
      calendar: new TradingCalendar(),
      signer: this.#signer,
      epoch,
      clockOf: (offsetMs) => new RunningClock(offsetMs),
    });
    const archive = new LogArchive(this.#pool, this.#products);
    this.#log.info({ epoch, size: session.size }, 'writing the log');
    if (session.waiting)
      this.#log.warn(
        `rules of ${session.waiting.products} products wait until ${new Date(session.waiting.untilMs).toISOString()}: a change of rules or of FEED takes effect an hour after it is logged, and sources that the present rules don't name set no price before`,
      );
    while (!this.#isStopped) {
      await this.#step(session);
      archive.wake(session.size, this.#log);
    }
    // No order is taken any more. The last step logs those that were, unless another process leads already and does it.
    await this.#pool.query('select log_release($1)', [epoch]);
    await this.#step(session).catch((error: unknown) => {
      if (failureOf(error) !== 'LEASE_LOST') throw error;
    });
    await archive.idle();
    await session.close();
  }

  async #step(session: WriterTerm): Promise<void> {
    await sleep(session.msUntilNextStep());
    await session.step();
  }
}
