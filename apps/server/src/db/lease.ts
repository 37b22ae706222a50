import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from './database.ts';

/** What a standby sees of whoever holds a lease: the beat rises while the holder lives. */
export interface LeaseSight {
  readonly epoch: number;
  readonly beat: number;
  readonly holder: string | null;
}

/** How long a beat may stand still before the lease counts as lost. Measured on the observer's own monotonic clock. */
export const LEASE_MS = 1_500;
/** Often enough that another leads within 3 s of a leader's death, its first work included. */
const LOOK_EVERY_MS = 100;

/**
 * Waits until a lease is free: let go of, or its beat unchanged for {@link LEASE_MS}. No clock but the observer's is
 * asked, so that no step of the database's clock can end or prolong a lease.
 * @returns what to take the lease from, or null when `isStopped` said so
 */
export async function waitForLease(
  look: () => Promise<LeaseSight>,
  isStopped: () => boolean,
): Promise<LeaseSight | null> {
  let seen = await look();
  let sinceMs = performance.now();
  while (!isStopped()) {
    if (seen.holder === null || performance.now() - sinceMs >= LEASE_MS) return seen;
    await sleep(LOOK_EVERY_MS);
    const now = await look();
    if (now.epoch !== seen.epoch || now.beat !== seen.beat || now.holder === null) {
      seen = now;
      sinceMs = performance.now();
    }
  }
  return null;
}

/** The lease of a role that one process at a time leads. */
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

  /** Waits for the lease and takes it; false when stopped before. */
  async take(isStopped: () => boolean): Promise<boolean> {
    await this.#db.query('insert into leases (name) values ($1) on conflict do nothing', [this.#name]);
    while (!isStopped()) {
      const sight = await waitForLease(() => this.#look(), isStopped);
      if (!sight) return false;
      const { rows } = await this.#db.query<{ epoch: string }>(
        `update leases set epoch = epoch + 1, beat = beat + 1, holder = $2
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

  /** Shows that the holder lives; false when somebody else holds the lease now. */
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
