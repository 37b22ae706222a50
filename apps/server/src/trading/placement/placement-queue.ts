import { failureOf, isRefusal } from '../../platform/db/database.ts';
import { underNoRequest } from '../../platform/db/request-mark.ts';
import { OverloadError } from '../../platform/fairness/overload-error.ts';
import { ORDERS_PER_BATCH } from '../order-terms.ts';
import { placeOrders } from './place-orders.ts';
import type { OrderRequest, PlacementAnswer, PlacementParts } from './placement-parts.ts';
import type { SettlementPace } from './settlement-pace.ts';

interface Waiting {
  readonly request: OrderRequest;
  readonly sinceMs: number;
  readonly resolve: (answer: PlacementAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** The most orders that wait, in total and per customer. Later requests get 503 with Retry-After. */
const MAX_WAITING = 2 * ORDERS_PER_BATCH;
const MAX_WAITING_PER_CUSTOMER = 200;
/** An order whose expected wait is longer than this, by the current duration of batches, gets 503 at once. */
const MAX_WAIT_MS = 2_000;
/**
 * An order that has waited this long gets 503, too: no work on it has begun. This is checked on a timer, not only between
 * batches, so that a batch on a stalled disk does not delay the answers to the orders behind it.
 */
const GIVE_UP_MS = 3_000;
const GIVE_UP_EVERY_MS = 250;
/** Weight of the last batch in the moving average of a batch's duration. */
const WEIGHT = 0.3;
/** Maximum number of attempts for a batch that meets a deadlock or loses a race. */
const MAX_TRIES = 3;
/** SQL states of transient errors. 23505 is among them: when another process uses a key first, the retry finds its order. */
const TRANSIENT = new Set(['40P01', '40001', '55P03', '23505']);

/**
 * Gathers orders while the previous batch is in flight, then places them together. Each customer has a queue of their own, and a
 * batch takes only its head, so that two orders on one balance are never in one batch. One batch is in flight at a time: two
 * overlapping batches were half as large each, and slower (docs/decisions/125-rejected-speedups.md).
 */
export class PlacementQueue {
  readonly #parts: PlacementParts;
  readonly #place: typeof placeOrders;
  readonly #pace: SettlementPace | null;
  readonly #lines = new Map<string, Waiting[]>();
  #waiting = 0;
  #pumping: Promise<void> | null = null;
  /** Moving average of the time from one batch to the next. */
  #turnMs = 0;
  #turnedMs = 0;

  /** @param pace slows new orders down while settlement is behind */
  constructor(
    parts: PlacementParts,
    { place = placeOrders, pace = null }: { place?: typeof placeOrders; pace?: SettlementPace | null } = {},
  ) {
    this.#parts = parts;
    this.#place = place;
    this.#pace = pace;
  }

  /**
   * @throws OverloadError when too many orders wait
   * @throws UnknownOutcomeError when the answer of the commit was lost: a request with the same key returns the outcome
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
      this.#pumping ??= underNoRequest(() => this.#pump());
    });
  }

  /** Expected wait of a new order: turns needed for all queued customers, plus the current turn's delay. */
  #expectedMs(): number {
    if (!this.#pumping) return 0;
    const turns = Math.ceil((this.#lines.size + 1) / ORDERS_PER_BATCH);
    return turns * this.#turnMs + Math.max(0, performance.now() - this.#turnedMs - this.#turnMs);
  }

  /** Waits until every order has an answer. */
  async idle(): Promise<void> {
    await this.#pumping;
  }

  async #pump(): Promise<void> {
    this.#turnMs = 0;
    this.#turnedMs = performance.now();
    // Requests that arrive in the same turn of the event loop share a batch.
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
    // A copy of the keys: a queue that is not empty yet moves to the end of the map and must not be visited twice.
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
        if (TRANSIENT.has(failureOf(error) ?? '') && attempt < MAX_TRIES) continue;
        await this.#fail(batch, error);
        return;
      }
    }
  }

  /**
   * One invalid request must not fail the others: each half of the batch is tried separately, until the invalid request is alone.
   * Where no request is to blame (an unavailable lock, a server shutdown) there is no retry: a thousand single tries would delay
   * all orders behind them.
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

/** Bad data (22), a broken constraint (23), a refusal, or an exception of our own code. */
function isFaultOfARequest(error: unknown): boolean {
  if (error instanceof RangeError || error instanceof TypeError) return true;
  return isRefusal(error) || ['22', '23'].includes(failureOf(error)?.slice(0, 2) ?? '');
}
