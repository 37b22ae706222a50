import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from './database.ts';

export interface LeaseSight {
  readonly epoch: number;
  readonly beat: number;
  readonly holder: string | null;
}

/** By the observer's own monotonic clock. */
export const LEASE_MS = 1_500;
const MOST_LEASE_MS = 6_000;
/** Of the longest pause between two of its beats that the observer has seen lately. */
const PAUSES = 3;
const LOOK_EVERY_MS = 100;
/** The most that one look adds to the time of a still beat: an observer that is starved itself sees no more. */
const MOST_PER_LOOK_MS = 2 * LOOK_EVERY_MS;

/**
 * Waits until a lease is free: released, or with an unchanged beat for {@link LEASE_MS}, or longer where beats or looks come seldom.
 * @returns the state from which to take the lease, or null when `isStopped` returned true
 */
export async function waitForLease(
  look: () => Promise<LeaseSight>,
  isStopped: () => boolean,
): Promise<LeaseSight | null> {
  let seen = await look();
  let patienceMs = LEASE_MS;
  let stillMs = 0;
  let lookedMs = performance.now();
  while (!isStopped()) {
    if (seen.holder === null || stillMs >= patienceMs) return seen;
    await sleep(LOOK_EVERY_MS);
    const now = await look();
    const elapsedMs = performance.now() - lookedMs;
    lookedMs += elapsedMs;
    stillMs += Math.min(elapsedMs, MOST_PER_LOOK_MS);
    if (now.epoch === seen.epoch && now.beat === seen.beat && now.holder !== null) continue;
    // Falls slowly, so that one quick beat among slow ones ends no patience.
    patienceMs = Math.max(LEASE_MS, Math.min(PAUSES * stillMs, MOST_LEASE_MS), 0.9 * patienceMs);
    seen = now;
    stillMs = 0;
  }
  return null;
}

export class Lease {
  readonly #db: Queryable;
  readonly #name: string;
  readonly #holder: string;
  #epoch: number | null = null;

  constructor(db: Queryable, options: { name: string; holder: string }) {
    this.#db = db;
    this.#name = options.name;
    this.#holder = options.holder;
  }

  async take(isStopped: () => boolean): Promise<boolean> {
    await this.#db.query('insert into leases (name) values ($1) on conflict do nothing', [this.#name]);
    while (!isStopped()) {
      const sight = await waitForLease(() => this.#look(), isStopped);
      if (!sight) return false;
      const { rows } = await this.#db.query<{ epoch: string }>(
        `update leases set epoch = epoch + 1, beat = beat + 1, holder = $2, lost = lost + (holder is not null)::int
         where name = $1 and epoch = $3 and beat = $4 returning epoch`,
        [this.#name, this.#holder, sight.epoch, sight.beat],
      );
      if (rows[0]) {
        this.#epoch = Number(rows[0].epoch);
        return true;
      }
    }
    return false;
  }

  async renew(): Promise<boolean> {
    const { rowCount } = await this.#db.query({
      name: 'lease-renew',
      text: 'update leases set beat = beat + 1 where name = $1 and epoch = $2',
      values: [this.#name, this.#epoch],
    });
    return rowCount === 1;
  }

  async release(): Promise<void> {
    if (this.#epoch === null) return;
    await this.#db.query('update leases set holder = null where name = $1 and epoch = $2', [
      this.#name,
      this.#epoch,
    ]);
    this.#epoch = null;
  }

  async #look(): Promise<LeaseSight> {
    const { rows } = await this.#db.query<{ epoch: string; beat: string; holder: string | null }>(
      'select epoch, beat, holder from leases where name = $1',
      [this.#name],
    );
    const row = rows[0];
    if (!row) throw new Error(`no lease ${this.#name}`);
    return { epoch: Number(row.epoch), beat: Number(row.beat), holder: row.holder };
  }
}
