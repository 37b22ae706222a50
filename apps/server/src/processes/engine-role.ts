import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Listener } from '../platform/bus/listener.ts';
import type { Pool } from '../platform/db/database.ts';
import { Lease } from '../platform/db/lease.ts';
import { fireAlerts } from '../trading/price-alerts/fire-alerts.ts';
import { ChunkSize, retried, settleAllDue } from '../trading/settlement/settle-lanes.ts';
import {
  advanceSettlementHead,
  correctOrders,
  voidUnopenedOrders,
} from '../trading/settlement/settle-orders.ts';

const SLEEP_MS = 250;
const HOUSEKEEPING_MS = 500;
const RETRY_MS = 300;

/** One process leads at a time. Two leaders do no harm, because the database settles an order only once. */
export class EngineRole {
  readonly #pool: Pool;
  readonly #chunkSize: ChunkSize;
  readonly #lease: Lease;
  readonly #log: Logger;
  #isStopped = false;
  #running: Promise<void> | null = null;
  /** Aborted to wake the engine. */
  #sleeping = new AbortController();
  #keptHouseMs = 0;

  constructor(pool: Pool, options: { listener: Listener; holder: string; log: Logger }) {
    this.#pool = pool;
    this.#chunkSize = new ChunkSize(pool);
    this.#lease = new Lease(pool, { name: 'engine', holder: options.holder });
    this.#log = options.log;
    options.listener.on('log', () => this.#sleeping.abort());
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#sleeping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        if (!(await this.#lease.take(() => this.#isStopped))) return;
        await this.#lead();
      } catch (error) {
        if (!this.#isStopped) this.#log.error({ err: error }, 'the engine stopped');
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

  /** A failed alert is tried again at the next turn. */
  async #tellPrices(): Promise<void> {
    const options = { isStopped: () => this.#isStopped, onStretch: () => this.#lease.renew() };
    await fireAlerts(this.#pool, options).catch((error: unknown) =>
      this.#log.warn({ err: error }, 'price alerts could not be told'),
    );
  }

  async #keepHouse(): Promise<void> {
    await advanceSettlementHead(this.#pool);
    await this.#pool.query('select roll_up_house()');
    // The partitions in use go on without it; an alert tells when none is ahead.
    await this.#pool
      .query('select row_partitions_keep()')
      .catch((error: unknown) => this.#log.error({ err: error }, 'partitions could not be made'));
  }

  async #sleep(): Promise<void> {
    await sleep(SLEEP_MS, undefined, { signal: this.#sleeping.signal }).catch(() => {});
    this.#sleeping = new AbortController();
  }
}
