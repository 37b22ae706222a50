import { formatEntry } from '@fairtick/proof';
import type { Queryable } from '../../platform/db/database.ts';
import type { Feed } from '../feeds/feed.ts';
import type { LogDraft } from './log-draft.ts';

/** The sources that the log leaves out of all fixes, and the entries that say so. Whoever takes over goes on from what the log has. */
export class AwaySources {
  readonly #feed: Pick<Feed, 'away'>;
  readonly #sources: Set<string>;
  /** The number of the last `away` entry. */
  #n: number;

  private constructor(feed: Pick<Feed, 'away'>, { n, sources }: { n: number; sources: readonly string[] }) {
    this.#feed = feed;
    this.#n = n;
    this.#sources = new Set(sources);
  }

  static async read(db: Queryable, feed: Pick<Feed, 'away'>): Promise<AwaySources> {
    const { rows } = await db.query<{ n: string; sources: string[] }>(
      `select coalesce(greatest(max(n), max(until_n)), 0) as n,
         coalesce(array_agg(source) filter (where until_n is null), '{}') as sources from source_aways`,
    );
    return new AwaySources(feed, { n: Number(rows[0]?.n), sources: rows[0]?.sources ?? [] });
  }

  has(source: string): boolean {
    return this.#sources.has(source);
  }

  /** Adds an entry for each source that is left out from now on, or no longer. */
  add(draft: LogDraft, timeMs: number): void {
    for (const [source, isOn] of this.#feed.away?.() ?? []) {
      if (isOn === this.#sources.has(source)) continue;
      this.#n += 1;
      if (isOn) this.#sources.add(source);
      else this.#sources.delete(source);
      draft.addText(timeMs, formatEntry({ kind: 'away', n: this.#n, timeMs, source, isOn }));
    }
  }
}
