import { setTimeout as sleep } from 'node:timers/promises';
import type { NoteSigner } from '@fairtick/proof';
import type { Logger } from 'pino';
import type { Feed } from '../market/feeds/feed.ts';
import { LogArchive } from '../market/log/log-archive.ts';
import { readLogHead } from '../market/log/log-head.ts';
import type { Products } from '../market/products.ts';
import { RunningClock } from '../market/writer/log-clock.ts';
import type { StepMaker } from '../market/writer/step-maker.ts';
import { WriterTerm } from '../market/writer/writer-term.ts';
import type { Wire } from '../platform/bus/wire.ts';
import { failureOf, type Pool } from '../platform/db/database.ts';
import { waitForLease } from '../platform/db/lease.ts';

const RETRY_MS = 500;

interface FeedParts {
  readonly pool: Pool;
  readonly feed: Feed;
  readonly products: Products;
  readonly signer: NoteSigner;
  readonly holder: string;
  readonly wire?: Pick<Wire, 'send'>;
  readonly steps?: StepMaker | null;
  readonly log: Logger;
}

export class FeedRole {
  readonly #parts: FeedParts;
  #isStopped = false;
  #running: Promise<void> | null = null;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#parts.steps?.start();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
    await this.#parts.steps?.stop();
    await this.#parts.feed.stop?.();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        const epoch = await this.#acquire();
        if (epoch !== null) await this.#write(epoch);
      } catch (error) {
        this.#parts.log.error({ err: error }, 'the log writer stopped');
        await sleep(RETRY_MS);
      }
    }
  }

  async #acquire(): Promise<number | null> {
    const { pool, holder } = this.#parts;
    const sight = await waitForLease(
      () => readLogHead(pool),
      () => this.#isStopped,
    );
    if (!sight) return null;
    const { rows } = await pool.query<{ epoch: string | null }>('select log_acquire($1, $2, $3) as epoch', [
      holder,
      sight.epoch,
      sight.beat,
    ]);
    const epoch = rows[0]?.epoch;
    return epoch == null ? null : Number(epoch);
  }

  async #write(epoch: number): Promise<void> {
    const { pool, feed, products, signer, log, wire, steps = null } = this.#parts;
    await steps?.begin();
    const session = await WriterTerm.open(pool, {
      feed,
      products,
      signer,
      epoch,
      clockOf: (offsetMs) => new RunningClock(offsetMs),
      ...(wire && { wire }),
      steps,
    });
    const archive = new LogArchive(pool, products);
    log.info({ epoch, size: session.size }, 'writing the log');
    if (session.waiting)
      log.warn(
        `rules of ${session.waiting.products} products wait until ${new Date(session.waiting.untilMs).toISOString()}: a change of rules or of FEED takes effect an hour after it is logged, and sources that the present rules don't name set no price before`,
      );
    while (!this.#isStopped) {
      await this.#step(session);
      archive.wake(session.size, log);
    }
    // No order is taken any more. The last step logs those that were, unless another process leads already and does it.
    await pool.query('select log_release($1)', [epoch]);
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
