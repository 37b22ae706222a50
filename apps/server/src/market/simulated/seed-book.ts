import { createHash, randomBytes } from 'node:crypto';
import { formatEntry } from '@fairtick/proof';
import type { Queryable } from '../../platform/db/database.ts';
import type { Binding, KeyRing } from '../../platform/sealing/key-ring.ts';
import type { Announcement } from '../feeds/feed.ts';
import type { SeedSource } from './walk.ts';

const DAY_MS = 86_400_000;

interface Seed {
  readonly date: string;
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
    }>('select date::text, sealed_secret, is_committed, is_revealed from feed_seeds order by date');
    for (const row of rows) {
      this.#seeds.set(row.date, {
        date: row.date,
        secret: this.#keys.open(row.sealed_secret, seedBinding(row.date)),
        isCommitted: row.is_committed,
        isRevealed: row.is_revealed,
      });
    }
  }

  /** Commitments of all dates up to tomorrow and reveals of past dates that the log does not have yet. */
  async announcement(timeMs: number): Promise<Announcement | null> {
    await this.load(timeMs);
    if (this.#owed(timeMs).length === 0) return null;
    // The cached state may be old: another process wrote since, or the append with the last announcement failed.
    await this.#read();
    const owed = this.#owed(timeMs);
    if (owed.length === 0) return null;
    return {
      texts: owed.map((entry) => formatEntry({ kind: 'seed', ...entry })),
      mark: async (db) => {
        for (const { date, step } of owed)
          await db.query(
            `update feed_seeds set ${step === 'commit' ? 'is_committed' : 'is_revealed'} = true where date = $1`,
            [date],
          );
      },
    };
  }

  #owed(timeMs: number) {
    const seeds = [...this.#seeds.values()];
    const commits = seeds.filter(({ isCommitted }) => !isCommitted);
    const reveals = seeds.filter(({ date, isRevealed }) => date < utcDate(timeMs) && !isRevealed);
    return [
      ...commits.map(({ date, secret }) => ({
        date,
        step: 'commit' as const,
        hex: createHash('sha256').update(secret).digest('hex'),
      })),
      ...reveals.map(({ date, secret }) => ({ date, step: 'reveal' as const, hex: secret.toString('hex') })),
    ];
  }
}
