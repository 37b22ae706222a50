import { sqlState } from '../db/database.ts';
import { ORDERS_PER_BATCH } from './order-terms.ts';
import { type OrderRequest, type PlacementAnswer, type PlacementParts, placeOrders } from './place-orders.ts';

interface Waiting {
  readonly request: OrderRequest;
  readonly resolve: (answer: PlacementAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** No more than this waits; whoever comes then is told to come again. */
const MAX_WAITING = 20_000;
const MAX_WAITING_PER_CUSTOMER = 200;
/**
 * So many batches are under way: while the database decides about one and makes it durable, the other locks its balances,
 * looks for keys and waits for its turn.
 */
const MAX_BATCHES = 2;
/** Requests are shared out evenly between the batches, but not into smaller ones than this. */
const SMALL_BATCH = 64;
/** Deadlocks and lost races are tried again so many times. */
const MAX_TRIES = 3;
const TRANSIENT = new Set(['40P01', '40001', '55P03']);

export class OverloadError extends Error {}

/**
 * Gathers orders while batches are in flight, then places them together. A customer's orders stand in a line of their own
 * and only the first of it travels, so that two orders of one balance never meet, neither in a batch nor in two at once.
 */
export class PlacementQueue {
  readonly #parts: PlacementParts;
  readonly #place: typeof placeOrders;
  readonly #lines = new Map<string, Waiting[]>();
  /** Customers whose order is in flight. */
  readonly #travelling = new Set<string>();
  readonly #pumps = new Set<Promise<void>>();
  #pumping = 0;
  #waiting = 0;

  constructor(parts: PlacementParts, place: typeof placeOrders = placeOrders) {
    this.#parts = parts;
    this.#place = place;
  }

  /**
   * @throws OverloadError when too many wait
   * @throws UnknownOutcomeError when the answer of the commit was lost: asking again with the same key tells
   */
  place(request: OrderRequest): Promise<PlacementAnswer> {
    const line = this.#lines.get(request.customerId) ?? [];
    if (this.#waiting >= MAX_WAITING || line.length >= MAX_WAITING_PER_CUSTOMER) {
      return Promise.reject(new OverloadError('too many orders wait'));
    }
    return new Promise((resolve, reject) => {
      line.push({ request, resolve, reject });
      this.#lines.set(request.customerId, line);
      this.#waiting += 1;
      this.#startPump();
    });
  }

  /** Waits until everybody has an answer. */
  async idle(): Promise<void> {
    while (this.#pumps.size > 0) await Promise.all(this.#pumps);
  }

  #startPump(): void {
    if (this.#pumping >= MAX_BATCHES) return;
    this.#pumping += 1;
    const pump = this.#pump().finally(() => this.#pumps.delete(pump));
    this.#pumps.add(pump);
  }

  async #pump(): Promise<void> {
    for (;;) {
      // Requests that arrived in the same turn of the event loop travel together.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = this.#takeHeads();
      if (batch.length === 0) break;
      await this.#run(batch);
      for (const { request } of batch) this.#travelling.delete(request.customerId);
    }
    // In the same turn as the look that found nobody: whoever comes later starts another.
    this.#pumping -= 1;
  }

  #takeHeads(): Waiting[] {
    const share = Math.ceil((this.#waiting + this.#travelling.size) / MAX_BATCHES);
    const limit = Math.min(ORDERS_PER_BATCH, Math.max(SMALL_BATCH, share));
    const batch: Waiting[] = [];
    for (const [customerId, line] of this.#lines) {
      if (batch.length === limit) break;
      if (!this.#travelling.has(customerId)) batch.push(line[0] as Waiting);
    }
    for (const { request } of batch) {
      const line = this.#lines.get(request.customerId) as Waiting[];
      line.shift();
      this.#lines.delete(request.customerId);
      // Whoever waits behind goes to the end.
      if (line.length > 0) this.#lines.set(request.customerId, line);
      this.#travelling.add(request.customerId);
    }
    this.#waiting -= batch.length;
    return batch;
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answers = await this.#place(
          this.#parts,
          batch.map((waiting) => waiting.request),
        );
        for (const [place, waiting] of batch.entries()) waiting.resolve(answers[place] as PlacementAnswer);
        return;
      } catch (error) {
        if (TRANSIENT.has(sqlState(error) ?? '') && attempt < MAX_TRIES) continue;
        await this.#fail(batch, error);
        return;
      }
    }
  }

  /**
   * A request that the database can't take must not cost the others theirs: each half of the batch is tried by itself, until
   * the culprit stands alone. Where no request is to blame (a lock not to be had, a server going down) nobody tries again:
   * a thousand single tries would hold up everyone behind them.
   */
  async #fail(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1 || !isFaultOfARequest(error)) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    const half = Math.ceil(batch.length / 2);
    await this.#run(batch.slice(0, half));
    await this.#run(batch.slice(half));
  }
}

/** Bad data (22), a broken constraint (23), a refusal of our own functions (FT), or what made our own code stumble. */
function isFaultOfARequest(error: unknown): boolean {
  if (error instanceof RangeError || error instanceof TypeError) return true;
  return ['22', '23', 'FT'].includes(sqlState(error)?.slice(0, 2) ?? '');
}
