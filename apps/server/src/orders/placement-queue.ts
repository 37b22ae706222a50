import { sqlState } from '../db/database.ts';
import { ORDERS_PER_BATCH } from './order-terms.ts';
import { type OrderRequest, type PlacementAnswer, type PlacementParts, placeOrders } from './place-orders.ts';
import type { SettlementPace } from './settlement-pace.ts';

interface Waiting {
  readonly request: OrderRequest;
  readonly sinceMs: number;
  readonly resolve: (answer: PlacementAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** No more than this waits, of all and of one customer; whoever comes then is told to come again. */
const MAX_WAITING = 2 * ORDERS_PER_BATCH;
const MAX_WAITING_PER_CUSTOMER = 200;
/** Who would wait for longer, by how long batches take now, is served better by a 503 at once. */
const MAX_WAIT_MS = 2_000;
/**
 * Who has waited for so long all the same is told so, too: nothing of it was done yet. Not only between batches: one that a
 * stalled disk holds would hold its answer to those behind it as well.
 */
const GIVE_UP_MS = 3_000;
const GIVE_UP_EVERY_MS = 250;
/** How much the last batch counts in what a batch is expected to take. */
const WEIGHT = 0.3;
/** Deadlocks and lost races are tried again so many times. */
const MAX_TRIES = 3;
/** A key that another process used meanwhile is one of these: the second try finds the order that it made. */
const TRANSIENT = new Set(['40P01', '40001', '55P03', '23505']);

export class OverloadError extends Error {}

/**
 * One batch is in flight at a time: two overlap in part, but are half as large, and were slower (docs/PERFORMANCE.md).
 * Gathers orders while the previous batch is in flight, then places them together. A customer's orders stand in a line of
 * their own and only the first of it travels, so that two orders of one balance never meet in a batch.
 */
export class PlacementQueue {
  readonly #parts: PlacementParts;
  readonly #place: typeof placeOrders;
  readonly #pace: SettlementPace | null;
  readonly #lines = new Map<string, Waiting[]>();
  #waiting = 0;
  #pumping: Promise<void> | null = null;
  /** From one batch to the next, in the mean of the last ones. */
  #turnMs = 0;
  #turnedMs = 0;

  /** @param pace where new orders are to make way for settlement */
  constructor(
    parts: PlacementParts,
    { place = placeOrders, pace = null }: { place?: typeof placeOrders; pace?: SettlementPace | null } = {},
  ) {
    this.#parts = parts;
    this.#place = place;
    this.#pace = pace;
  }

  /**
   * @throws OverloadError when too many wait
   * @throws UnknownOutcomeError when the answer of the commit was lost: asking again with the same key tells
   */
  place(request: OrderRequest): Promise<PlacementAnswer> {
    const line = this.#lines.get(request.customerId) ?? [];
    const isFull = this.#waiting >= MAX_WAITING || line.length >= MAX_WAITING_PER_CUSTOMER;
    if (isFull || this.#expectedMs() > MAX_WAIT_MS) {
      return Promise.reject(new OverloadError('too many orders wait'));
    }
    return new Promise((resolve, reject) => {
      line.push({ request, sinceMs: performance.now(), resolve, reject });
      this.#lines.set(request.customerId, line);
      this.#waiting += 1;
      this.#pumping ??= this.#pump();
    });
  }

  /** What somebody new is expected to wait: as many turns as all heads take, and what the one that goes on is late by. */
  #expectedMs(): number {
    if (!this.#pumping) return 0;
    const turns = Math.ceil((this.#lines.size + 1) / ORDERS_PER_BATCH);
    return turns * this.#turnMs + Math.max(0, performance.now() - this.#turnedMs - this.#turnMs);
  }

  /** Waits until everybody has an answer. */
  async idle(): Promise<void> {
    await this.#pumping;
  }

  async #pump(): Promise<void> {
    this.#turnMs = 0;
    this.#turnedMs = performance.now();
    // Requests that arrived in the same turn of the event loop travel together.
    await new Promise((resolve) => setImmediate(resolve));
    const givingUp = setInterval(() => this.#giveUp(), GIVE_UP_EVERY_MS);
    while (this.#waiting > 0) {
      const startedMs = performance.now();
      const batch = this.#takeHeads();
      if (batch.length > 0) await this.#run(batch);
      await this.#pace?.rest(performance.now() - startedMs);
      const turnMs = performance.now() - startedMs;
      this.#turnMs += (turnMs - this.#turnMs) * WEIGHT;
      this.#turnedMs = performance.now();
    }
    clearInterval(givingUp);
    this.#pumping = null;
  }

  #giveUp(): void {
    const latestMs = performance.now() - GIVE_UP_MS;
    for (const [customerId, line] of this.#lines) {
      while (line[0] && line[0].sinceMs < latestMs) {
        this.#leave(line)?.reject(new OverloadError('it waited for too long'));
      }
      if (line.length === 0) this.#lines.delete(customerId);
    }
  }

  #takeHeads(): Waiting[] {
    const batch: Waiting[] = [];
    this.#giveUp();
    // A copy of the keys: a line that still has somebody in it goes to the end of the map, and must not come up again.
    for (const customerId of [...this.#lines.keys()].slice(0, ORDERS_PER_BATCH)) {
      const line = this.#lines.get(customerId) as Waiting[];
      const head = this.#leave(line);
      if (head) batch.push(head);
      this.#lines.delete(customerId);
      if (line.length > 0) this.#lines.set(customerId, line);
    }
    return batch;
  }

  #leave(line: Waiting[]): Waiting | undefined {
    const head = line.shift();
    if (head) this.#waiting -= 1;
    return head;
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
