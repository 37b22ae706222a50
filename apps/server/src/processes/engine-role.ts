import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Pool } from '../platform/db/database.ts';
import { Lease } from '../platform/db/lease.ts';
import type { Listener } from '../platform/db/listener.ts';
import { fireAlerts } from '../trading/price-alerts/fire-alerts.ts';
import { ChunkSize, retried, settleAllDue } from '../trading/settlement/settle-lanes.ts';
import {
  advanceSettlementHead,
  correctOrders,
  voidUnopenedOrders,
} from '../trading/settlement/settle-orders.ts';

/** How long the engine sleeps when no notification of new prices arrives. */
const SLEEP_MS = 250;
const HOUSEKEEPING_MS = 500;
const RETRY_MS = 300;

/**
 * The engine role: settles what is due whenever the log grows, fires price alerts, and keeps the roll-ups. The lease gives it to
 * one process at a time. Two processes that both act as leader do no harm: the database settles an order only once.
 */
export class EngineRole {
  readonly #pool: Pool;
  readonly #chunkSize: ChunkSize;
  readonly #lease: Lease;
  readonly #log: Logger;
  #isStopped = false;
  #running: Promise<void> | null = null;
  #wake: () => void = () => {};
  #isAwake = false;
  #keptHouseMs = 0;

  constructor(pool: Pool, options: { listener: Listener; holder: string; log: Logger }) {
    this.#pool = pool;
    this.#chunkSize = new ChunkSize(pool);
    this.#lease = new Lease(pool, { name: 'engine', holder: options.holder });
    this.#log = options.log;
    options.listener.on('log', () => {
      this.#isAwake = true;
      this.#wake();
    });
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        if (!(await this.#lease.take(() => this.#isStopped))) return;
        await this.#lead();
      } catch (error) {
        if (!this.#isStopped) this.#log.error({ err: error }, 'the engine stopped');
        // Release the lease, or no process settles until it expires. With a lost connection the release fails, and the lease
        // expires.
        await this.#lease.release().catch(() => {});
        await sleep(RETRY_MS);
      }
    }
  }

  async #lead(): Promise<void> {
    while (!this.#isStopped) {
      await this.#settleAll();
      await this.#tellPrices();
      if (performance.now() - this.#keptHouseMs >= HOUSEKEEPING_MS) {
        this.#keptHouseMs = performance.now();
        if (!(await this.#lease.renew())) {
          this.#log.warn('another engine leads');
          return;
        }
        await this.#keepHouse();
      }
      await this.#sleep();
    }
    await this.#lease.release();
  }

  async #settleAll(): Promise<void> {
    await retried(() => voidUnopenedOrders(this.#pool, () => this.#lease.renew()));
    await settleAllDue(this.#pool, {
      size: this.#chunkSize,
      isStopped: () => this.#isStopped,
      onChunk: () => this.#lease.renew(),
    });
    await retried(() => correctOrders(this.#pool, () => this.#lease.renew()));
  }

  /** A failed alert does not delay settlement: the next turn tries it again. */
  async #tellPrices(): Promise<void> {
    const options = { isStopped: () => this.#isStopped, onStretch: () => this.#lease.renew() };
    await fireAlerts(this.#pool, options).catch((error: unknown) =>
      this.#log.warn({ err: error }, 'price alerts could not be told'),
    );
  }

  async #keepHouse(): Promise<void> {
    await advanceSettlementHead(this.#pool);
    await this.#pool.query('select roll_up_house()');
  }

  async #sleep(): Promise<void> {
    if (!this.#isAwake) {
      const timer = Promise.withResolvers<void>();
      const timeout = setTimeout(timer.resolve, SLEEP_MS);
      this.#wake = timer.resolve;
      await timer.promise;
      clearTimeout(timeout);
    }
    this.#isAwake = false;
  }
}
