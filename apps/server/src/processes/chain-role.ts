import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type ChainSettings, isPaying } from '../config/chains-file.ts';
import { readLogHead } from '../market/log/log-head.ts';
import { demandOwned } from '../money/chains/chain-holdings.ts';
import { chainSource, payoutNode } from '../money/chains/chain-sources.ts';
import { ChainWatcher } from '../money/chains/chain-watcher.ts';
import { PayoutSender } from '../money/chains/payout-sender.ts';
import { TronExpiry } from '../money/chains/tron-expiry.ts';
import { TronPayoutNode } from '../money/chains/tron-payout-node.ts';
import { Assets } from '../platform/assets.ts';
import type { Pool } from '../platform/db/database.ts';
import { Lease } from '../platform/db/lease.ts';

const RENEW_MS = 500;
const RETRY_MS = 500;

/** What follows a chain, one round after another. */
type Follower = Pick<ChainWatcher, 'chain' | 'round'>;

/**
 * Watches the chains of CHAINS_FILE, and sends the payouts that are signed. One process leads at a time; two do no harm, because the
 * database admits each range once, and both send the same bytes.
 */
export class ChainRole {
  readonly #followers: readonly Follower[];
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
    const followers = chains.flatMap((chain): Follower[] => {
      const { secondRpc } = chain;
      const second = secondRpc === undefined ? null : chainSource(chain, secondRpc);
      const watcher = new ChainWatcher({ chain, db: pool, assets, source: chainSource(chain), second, log });
      if (!isPaying(chain)) return [watcher];
      const node = payoutNode(chain);
      const other = secondRpc === undefined ? null : payoutNode(chain, secondRpc);
      const sender = new PayoutSender({ chain, db: pool, node, second: other, log });
      if (chain.kind !== 'tron' || secondRpc === undefined) return [watcher, sender];
      const [one, two] = [new TronPayoutNode(chain), new TronPayoutNode(chain, secondRpc)];
      return [watcher, sender, new TronExpiry({ chain, db: pool, node: one, second: two, log })];
    });
    return new ChainRole(followers, new Lease(pool, { name: 'chain', holder }), log);
  }

  constructor(followers: readonly Follower[], lease: Lease, log: Logger) {
    this.#followers = followers;
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
      await Promise.all(this.#followers.map((follower) => this.#follow(follower, signal)));
    } finally {
      clearInterval(renewing);
    }
  }

  async #follow(follower: Follower, signal: AbortSignal): Promise<void> {
    const { chain, pollMs } = follower.chain;
    while (!signal.aborted) {
      await follower
        .round(() => signal.aborted)
        .catch((error: unknown) => this.#log.warn({ err: error, chain }, 'a chain could not be read'));
      await sleep(pollMs, undefined, { signal }).catch(() => {});
    }
  }
}
