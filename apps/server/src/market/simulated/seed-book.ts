import { createHash, randomBytes } from 'node:crypto';
import { formatEntry } from '@fairtick/proof';
import type { Queryable } from '../../platform/db/database.ts';
import type { Binding, KeyRing } from '../../platform/sealing/key-ring.ts';
import type { Announcement } from '../feeds/feed.ts';
import type { SeedSource } from './market-model.ts';

const DAY_MS = 86_400_000;

interface Seed {
  readonly secret: Buffer;
  readonly isCommitted: boolean;
  readonly isRevealed: boolean;
}

export const utcDate = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** `date` is YYYY-MM-DD. */
export const seedBinding = (date: string): Binding => ({ table: 'feed_seeds', record: date, customer: '' });

/**
 * The simulated market's secrets, one for each UTC date from the installation on. The hash of a date's secret is logged before
 * the date begins (the first: before the first price), the secret itself after the date has ended, which proves that no day was
 * steered. Days before the installation follow from the first secret. Stored secrets are sealed with the key file: who has the
 * database's role only can't read today's prices ahead, nor insert a secret that the feed would use.
 */
export class SeedBook implements SeedSource {
  readonly #db: Queryable;
  readonly #keys: KeyRing;
  readonly #firstDate: string;
  readonly #seeds = new Map<string, Seed>();

  constructor(db: Queryable, keys: KeyRing, installedMs: number) {
    this.#db = db;
    this.#keys = keys;
    this.#firstDate = utcDate(installedMs);
  }

  seedOf(date: string): Uint8Array {
    const seed = this.#seeds.get(date);
    if (seed) return seed.secret;
    const first = this.#seeds.get(this.#firstDate);
    if (!first || date >= this.#firstDate) throw new Error(`no seed of ${date} is loaded`);
    return createHash('sha256').update(first.secret).update(date).digest();
  }

  /** Creates missing secrets for every date from the installation's to the day after `timeMs`, and reads them all. */
  async load(timeMs: number): Promise<void> {
    if (this.#seeds.has(utcDate(timeMs + DAY_MS))) return;
    const dates: string[] = [];
    for (let at = Date.parse(this.#firstDate); at <= timeMs + DAY_MS; at += DAY_MS) dates.push(utcDate(at));
    const missing = dates.filter((date) => !this.#seeds.has(date));
    await this.#db.query(
      'insert into feed_seeds (date, sealed_secret) select * from unnest($1::date[], $2::bytea[]) on conflict do nothing',
      [missing, missing.map((date) => this.#keys.seal(randomBytes(32), seedBinding(date)))],
    );
    await this.#read();
  }

  async #read(): Promise<void> {
    const { rows } = await this.#db.query<{
      date: string;
      sealed_secret: Buffer;
      is_committed: boolean;
      is_revealed: boolean;
    }>('select date::text, sealed_secret, is_committed, is_revealed from feed_seeds');
    for (const row of rows) {
      this.#seeds.set(row.date, {
        secret: this.#keys.open(row.sealed_secret, seedBinding(row.date)),
        isCommitted: row.is_committed,
        isRevealed: row.is_revealed,
      });
    }
  }

  /** Commitments of all dates up to tomorrow and reveals of past dates that the log does not have yet. */
  async announcement(timeMs: number): Promise<Announcement | null> {
    await this.load(timeMs);
    if (this.#owed(timeMs) === null) return null;
    // The cached state may be old: another process wrote since, or the append with the last announcement failed.
    await this.#read();
    const owed = this.#owed(timeMs);
    if (owed === null) return null;
    const { toCommit, toReveal } = owed;
    const texts = [
      ...toCommit.map((date) => {
        const hex = createHash('sha256').update(this.#seed(date).secret).digest('hex');
        return formatEntry({ kind: 'seed', date, step: 'commit', hex });
      }),
      ...toReveal.map((date) => {
        const hex = this.#seed(date).secret.toString('hex');
        return formatEntry({ kind: 'seed', date, step: 'reveal', hex });
      }),
    ];
    return {
      texts,
      mark: async (db) => {
        await db.query('update feed_seeds set is_committed = true where date = any ($1::date[])', [toCommit]);
        await db.query('update feed_seeds set is_revealed = true where date = any ($1::date[])', [toReveal]);
      },
    };
  }

  #owed(timeMs: number): { toCommit: string[]; toReveal: string[] } | null {
    const today = utcDate(timeMs);
    const dates = [...this.#seeds.keys()].sort();
    const toCommit = dates.filter((date) => !this.#seed(date).isCommitted);
    const toReveal = dates.filter((date) => date < today && !this.#seed(date).isRevealed);
    return toCommit.length + toReveal.length === 0 ? null : { toCommit, toReveal };
  }

  #seed(date: string): Seed {
    return this.#seeds.get(date) as Seed;
  }
}
