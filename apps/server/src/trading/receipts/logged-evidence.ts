import type { Data } from '@fairtick/protocol';
import { readHandOvers } from '../../market/keys/hand-overs.ts';
import { readFirstCheckpoint } from '../../market/witnesses/witnesses.ts';
import { cached } from '../../platform/cached.ts';
import { readLoggedBatch } from '../settlement/logged-facts.ts';
import type { ReceiptParts } from './receipt-entries.ts';
import { keysWithin, proveBatch, proveEntry, proveGrowth, sizeOf } from './shown-proofs.ts';

type Evidence = Data<'orderLogged'>;
/** The part of the evidence that all orders of a batch share. */
type BatchEvidence = Omit<Evidence, 'rules'>;

/** Batches kept: some kilobytes each. */
const MOST_KEPT = 1_024;
/** How often the database is asked at most about a batch, ms. */
const ASK_EVERY_MS = 250;

/**
 * Evidence that orders are in the public log, soon after they were accepted. All orders of a batch share most of it, and its proofs
 * never change, so each batch is proven once for all of its customers.
 */
export class LoggedEvidence {
  readonly #parts: Pick<ReceiptParts, 'db' | 'reader'>;
  /** Least recently used first. */
  readonly #byBatch = new Map<number, () => Promise<BatchEvidence | null>>();

  constructor(parts: Pick<ReceiptParts, 'db' | 'reader'>) {
    this.#parts = parts;
  }

  /** @returns null while no checkpoint covers the `orders` entry of the order's batch */
  async of({ batch, rulesId }: { batch: number; rulesId: number }): Promise<Evidence | null> {
    const ofBatch = await this.#ofBatch(batch)();
    if (ofBatch === null) return null;
    const { reader } = this.#parts;
    const place = { index: rulesId, text: await reader.text(rulesId) };
    return { ...ofBatch, rules: await proveEntry(reader, place, sizeOf(ofBatch.checkpoint)) };
  }

  #ofBatch(batch: number): () => Promise<BatchEvidence | null> {
    const ask = this.#byBatch.get(batch) ?? this.#asker(batch);
    this.#byBatch.delete(batch);
    this.#byBatch.set(batch, ask);
    const oldest = this.#byBatch.keys().next().value;
    if (this.#byBatch.size > MOST_KEPT && oldest !== undefined) this.#byBatch.delete(oldest);
    return ask;
  }

  #asker(batch: number): () => Promise<BatchEvidence | null> {
    let known: BatchEvidence | null = null;
    return cached(ASK_EVERY_MS, async () => {
      // Later only signatures of witnesses are added to a checkpoint.
      const checkpoint = known && (await readFirstCheckpoint(this.#parts.db, known.index));
      known = known && checkpoint ? { ...known, checkpoint } : await proveLogged(this.#parts, batch);
      return known;
    });
  }
}

async function proveLogged(
  { db, reader }: Pick<ReceiptParts, 'db' | 'reader'>,
  batch: number,
): Promise<BatchEvidence | null> {
  const logged = await readLoggedBatch(db, batch);
  const checkpoint = logged ? await readFirstCheckpoint(db, logged.index) : null;
  if (!logged || checkpoint === null) return null;
  // Hand-overs are read after the checkpoint, so those within its log are among them.
  const handOvers = await readHandOvers(db);
  const { index } = logged;
  const size = sizeOf(checkpoint);
  const prove = async (at: number) => proveEntry(reader, { index: at, text: await reader.text(at) }, size);
  const [{ entry, proof: entryProof }, beforeAccept, consistency, ofBatch, keys] = await Promise.all([
    prove(index),
    prove(logged.logSize - 1),
    proveGrowth(reader, { size: logged.logSize, root: logged.logRoot }, size),
    proveBatch(db, batch, index),
    Promise.all(keysWithin(handOvers, checkpoint).map((place) => proveEntry(reader, place, size))),
  ]);
  const batchProof = ofBatch.proof;
  return { entry, index, entryProof, batch, batchProof, beforeAccept, consistency, checkpoint, keys };
}
