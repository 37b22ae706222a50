import { MAX_PYTH_COMPACT_BYTES } from '@fairtick/proof';
import { hasRecord, PYTH_SOURCE } from '@fairtick/trading';
import { byteaArray, int2Array, int8Array } from '../../platform/db/binary-arrays.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { Feed } from '../feeds/feed.ts';
import type { DraftEntry } from './draft-entry.ts';

/** Updates that wait for the next write; of more, the oldest go. */
const MOST_WAITING = 5_000;
const LAST_NUMBER = 2n ** 63n - 1n;

interface Waiting {
  readonly productId: number;
  readonly number: bigint;
  readonly signed: Uint8Array;
}

/**
 * The signed updates that the records of fixes are from, in memory until the next write. One that is lost, or was received by another
 * process, is missing in receipts, which say so: fixes never wait for it.
 */
export class SignedUpdates {
  readonly #feed: Pick<Feed, 'signedUpdate'>;
  #waiting: Waiting[] = [];

  constructor(feed: Pick<Feed, 'signedUpdate'>) {
    this.#feed = feed;
  }

  /** Takes the updates of the records in these entries. */
  take(entries: readonly DraftEntry[]): void {
    for (const entry of entries) {
      if (entry.kind !== 'fix' && entry.kind !== 'close') continue;
      const record = entry.records.find(({ source }) => source === PYTH_SOURCE);
      if (!record || !hasRecord(record)) continue;
      const { last, closing } = record;
      for (const { number } of closing.by === 'next' ? [last, closing.next] : [last]) {
        const signed = this.#feed.signedUpdate?.(entry.productId, number) ?? null;
        if (signed === null || signed.length > MAX_PYTH_COMPACT_BYTES || number > LAST_NUMBER) continue;
        this.#waiting.push({ productId: entry.productId, number, signed });
      }
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
      text: `insert into signed_updates (product_id, number, signed)
        select * from unnest($1::smallint[], $2::bigint[], $3::bytea[]) on conflict do nothing`,
      values: [
        int2Array(rows.map(({ productId }) => productId)),
        int8Array(rows.map(({ number }) => number)),
        byteaArray(rows.map(({ signed }) => signed)),
      ],
    });
  }
}
