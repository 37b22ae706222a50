import { MAX_PYTH_COMPACT_BYTES } from '@fairtick/proof';
import { PYTH_SOURCE } from '@fairtick/trading';
import { byteaArray, int2Array, int8Array } from '../../platform/db/binary-arrays.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { Feed } from '../feeds/feed.ts';
import type { DraftEntry } from './draft-entry.ts';

/** Updates of a product are kept for this long after its last unsettled order: a receipt shows the next one, too. */
const LINGER_MS = 5_000;
/** Updates that wait for the next write; of more, the oldest go. */
const MOST_WAITING = 5_000;
const LAST_NUMBER = 2n ** 63n - 1n;

interface Waiting {
  readonly productId: number;
  readonly sourceSeq: bigint;
  readonly takenMs: number;
  readonly signed: Uint8Array;
}

/**
 * Signed updates that ticks took quotes from, of products with unsettled orders; in memory until the next write. One that is lost, or was
 * received by another process, is missing in receipts, which say so: ticks never wait for it.
 */
export class SignedUpdates {
  readonly #feed: Pick<Feed, 'signedUpdate'>;
  readonly #lingers = new Map<number, number>();
  /** The number of the newest that was taken, by product. */
  readonly #taken = new Map<number, bigint>();
  #waiting: Waiting[] = [];

  constructor(feed: Pick<Feed, 'signedUpdate'>) {
    this.#feed = feed;
  }

  /** Takes the updates of new quotes in these entries. */
  take(entries: readonly DraftEntry[], ordered: ReadonlySet<number>): void {
    for (const entry of entries) {
      if (entry.kind !== 'tick') continue;
      const { productId, timeMs } = entry;
      if (ordered.has(productId)) this.#lingers.set(productId, timeMs + LINGER_MS);
      if (timeMs > (this.#lingers.get(productId) ?? 0)) continue;
      const quote = entry.quotes.find(({ source }) => source === PYTH_SOURCE);
      if (!quote || quote.use === 'none' || this.#taken.get(productId) === quote.sourceSeq) continue;
      const { sourceSeq } = quote;
      this.#taken.set(productId, sourceSeq);
      const signed = this.#feed.signedUpdate?.(productId, sourceSeq) ?? null;
      if (signed === null || signed.length > MAX_PYTH_COMPACT_BYTES || sourceSeq > LAST_NUMBER) continue;
      this.#waiting.push({ productId, sourceSeq, takenMs: timeMs, signed });
    }
    if (this.#waiting.length > MOST_WAITING) this.#waiting = this.#waiting.slice(-MOST_WAITING);
  }

  /** Stores what waits. */
  async write(db: Queryable): Promise<void> {
    const rows = this.#waiting;
    if (rows.length === 0) return;
    this.#waiting = [];
    await db.query({
      name: 'signed-updates',
      text: `insert into signed_updates (product_id, source_seq, taken_ms, signed)
        select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bytea[]) on conflict do nothing`,
      values: [
        int2Array(rows.map(({ productId }) => productId)),
        int8Array(rows.map(({ sourceSeq }) => sourceSeq)),
        int8Array(rows.map(({ takenMs }) => takenMs)),
        byteaArray(rows.map(({ signed }) => signed)),
      ],
    });
  }
}
