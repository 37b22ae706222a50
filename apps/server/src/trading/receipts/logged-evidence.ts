import type { Data } from '@fairtick/protocol';
import { readHandOvers } from '../../market/log/hand-overs.ts';
import { readLastCheckpoint } from '../../market/log/log-head.ts';
import { cached } from '../../platform/cached.ts';
import { readLoggedBatches } from '../settlement/openings.ts';
import type { ReceiptParts } from './receipt-entries.ts';
import { keysWithin, proveBatch, proveEntry, sizeOf } from './shown-proofs.ts';

type Evidence = Data<'orderLogged'>;

/** Batches kept: some kilobytes each. */
const MOST_KEPT = 1_024;
/** How often the database is asked at most about a batch that no checkpoint covers yet, ms. */
const ASK_EVERY_MS = 250;

/**
 * Evidence that batches are in the public log, soon after they were accepted. All orders of a batch share it, and it never changes,
 * so each batch is proven once for all of its customers.
 */
export class LoggedEvidence {
  readonly #parts: Pick<ReceiptParts, 'db' | 'proofs'>;
  /** Least recently used first. */
  readonly #byBatch = new Map<number, () => Promise<Evidence | null>>();

  constructor(parts: Pick<ReceiptParts, 'db' | 'proofs'>) {
    this.#parts = parts;
  }

  /** @returns null while no checkpoint covers the batch's `orders` entry */
  of(batch: number): Promise<Evidence | null> {
    const ask = this.#byBatch.get(batch) ?? this.#asker(batch);
    this.#byBatch.delete(batch);
    this.#byBatch.set(batch, ask);
    const oldest = this.#byBatch.keys().next().value;
    if (this.#byBatch.size > MOST_KEPT && oldest !== undefined) this.#byBatch.delete(oldest);
    return ask();
  }

  #asker(batch: number): () => Promise<Evidence | null> {
    let known: Evidence | null = null;
    const ask = cached(ASK_EVERY_MS, async () => {
      known ??= await proveLogged(this.#parts, batch);
      return known;
    });
    return async () => known ?? ask();
  }
}

async function proveLogged(
  { db, proofs }: Pick<ReceiptParts, 'db' | 'proofs'>,
  batch: number,
): Promise<Evidence | null> {
  // Hand-overs are read after the checkpoint, so those within its log are among them.
  const checkpoint = await readLastCheckpoint(db);
  const [logged, handOvers] = await Promise.all([readLoggedBatches(db, new Set([batch])), readHandOvers(db)]);
  const index = logged.get(batch)?.index;
  const size = checkpoint === null ? 0 : sizeOf(checkpoint);
  if (checkpoint === null || index === undefined || index >= size) return null;
  const [orders, ofBatch, keys] = await Promise.all([
    proofs.text(index).then((text) => proveEntry(proofs, { index, text }, size)),
    proveBatch(db, batch, index),
    Promise.all(keysWithin(handOvers, checkpoint).map((place) => proveEntry(proofs, place, size))),
  ]);
  const { entry, proof: entryProof } = orders;
  return { entry, index, entryProof, batch, batchProof: ofBatch.proof, checkpoint, keys };
}
