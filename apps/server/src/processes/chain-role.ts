import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ChainSettings } from '../config/chains-file.ts';
import { readLogHead } from '../market/log/log-head.ts';
import { demandOwned } from '../money/chains/chain-holdings.ts';
import { chainSource } from '../money/chains/chain-sources.ts';
import { ChainWatcher } from '../money/chains/chain-watcher.ts';
import { Assets } from '../platform/assets.ts';
import type { Pool } from '../platform/db/database.ts';
import { Lease } from '../platform/db/lease.ts';

const RENEW_MS = 500;
const RETRY_MS = 500;

/** Watches the chains of CHAINS_FILE. One process leads at a time; two do no harm, because the database admits each range once. */
export class ChainRole {
  readonly #watchers: readonly ChainWatcher[];
  readonly #lease: Lease;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  static async create(
    pool: Pool,
    { chains, holder, log }: { chains: readonly ChainSettings[]; holder: string; log: Logger },
  ): Promise<ChainRole> {
    const [assets, { origin }] = await Promise.all([Assets.load(pool), readLogHead(pool)]);
    for (const chain of chains) demandOwned(chain, origin);
    const watchers = chains.map((chain) => {
      const second = chain.secondRpc === undefined ? null : chainSource(chain, chain.secondRpc);
      return new ChainWatcher({ chain, db: pool, assets, source: chainSource(chain), second, log });
    });
    return new ChainRole(watchers, new Lease(pool, { name: 'chain', holder }), log);
  }

  constructor(watchers: readonly ChainWatcher[], lease: Lease, log: Logger) {
    this.#watchers = watchers;
    this.#lease = lease;
    this.#log = log;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if (!(await this.#lease.take(() => signal.aborted))) return;
        await this.#lead();
        await this.#lease.release();
      } catch (error) {
        if (!signal.aborted) this.#log.error({ err: error }, 'the watcher of chains stopped');
        await sleep(RETRY_MS);
      }
    }
  }

  /** A slow node delays its chain alone, and not the lease. */
  async #lead(): Promise<void> {
    const ending = new AbortController();
    const signal = AbortSignal.any([this.#stopping.signal, ending.signal]);
    const renewing = setInterval(() => {
      void this.#lease.renew().then(
        (isHeld) => isHeld || ending.abort(),
        () => ending.abort(),
      );
    }, RENEW_MS);
    try {
      await Promise.all(this.#watchers.map((watcher) => this.#follow(watcher, signal)));
    } finally {
      clearInterval(renewing);
    }
  }

  async #follow(watcher: ChainWatcher, signal: AbortSignal): Promise<void> {
    const { chain, pollMs } = watcher.chain;
    while (!signal.aborted) {
      await watcher
        .round(() => signal.aborted)
        .catch((error: unknown) => this.#log.warn({ err: error, chain }, 'a chain could not be read'));
      await sleep(pollMs, undefined, { signal }).catch(() => {});
    }
  }
}
