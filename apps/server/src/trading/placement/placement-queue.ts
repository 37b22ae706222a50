import { failureOf, isRefusal } from '../../platform/db/database.ts';
import { underNoRequest } from '../../platform/db/request-mark.ts';
import { ORDER_WAITS, ORDERS_WAITING } from '../../platform/fairness/bounds.ts';
import { Turns } from '../../platform/fairness/line.ts';
import { OverloadError } from '../../platform/fairness/overload-error.ts';
import { ORDERS_PER_BATCH } from '../order-terms.ts';
import { placeOrders } from './place-orders.ts';
import type { OrderRequest, PlacementAnswer, PlacementParts } from './placement-parts.ts';
import type { SettlementPace } from './settlement-pace.ts';

interface Waiting {
  readonly request: OrderRequest;
  /** By `performance.now()`. */
  readonly untilMs: number;
  readonly resolve: (answer: PlacementAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Late orders are refused on a timer too, so that a batch on a stalled disk does not delay the answers to those behind it. */
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
  readonly #turns = new Turns<Waiting>();
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
    const { customerId } = request;
    const { all, ofOne } = ORDERS_WAITING;
    const isFull = this.#turns.size >= all || this.#turns.waitingOf(customerId) >= ofOne;
    if (isFull || this.#expectedMs() > ORDER_WAITS.expectedMs)
      return Promise.reject(new OverloadError('too many orders wait'));
    const untilMs = performance.now() + ORDER_WAITS.longestMs;
    return new Promise((resolve, reject) => {
      this.#turns.add(customerId, { request, untilMs, resolve, reject });
      this.#pumping ??= underNoRequest(() => this.#pump());
    });
  }

  /** Expected wait of a new order: turns needed for all queued customers, plus the current turn's delay. */
  #expectedMs(): number {
    if (!this.#pumping) return 0;
    const turns = Math.ceil((this.#turns.owners + 1) / ORDERS_PER_BATCH);
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
    while (this.#turns.size > 0) {
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
    const nowMs = performance.now();
    for (const { reject } of this.#turns.drop(({ untilMs }) => untilMs < nowMs))
      reject(new OverloadError('it waited for too long'));
  }

  /** The oldest order of each customer. */
  #takeHeads(): Waiting[] {
    this.#giveUp();
    const length = Math.min(this.#turns.owners, ORDERS_PER_BATCH);
    return Array.from({ length }, () => this.#turns.next()?.item as Waiting);
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
