import type { Order } from '@fairtick/protocol';
import { RefusedError } from '../api/client.ts';
import { setEvidence, useEvidence } from '../live/evidence.ts';
import { onOrder, useOrders } from '../live/orders.ts';
import { customerNow, useSession } from '../state/session.ts';
import { onSessionEnd } from '../state/session-lifecycle.ts';
import { pauseBefore } from './receipt-check/evidence-model.ts';
import { askLogged } from './receipt-check/held-evidence.ts';
import { type HeldOrder, heldOf, heldOrders, isHeldAsAsked, keepOrder } from './receipt-check/kept.ts';

interface Question {
  readonly held: HeldOrder;
  readonly count: number;
  /** When to ask next, by `performance.now()`. */
  readonly dueMs: number;
}

/**
 * Keeps each acceptance as soon as the app sees it, and asks until the proof that it is in the public log has come. One question
 * is under way at a time, and nothing waits for it.
 */
class EvidenceFollower {
  readonly #questions = new Map<string, Question>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isAsking = false;
  /** Whose evidence is followed; null: nobody's, or this device has no storage for it (a private window). */
  #customerId: string | null = null;

  /** Reads what the device holds for the customer, and goes on asking for what is missing. */
  async begin(customerId: string): Promise<void> {
    const held = await heldOrders(customerId).catch(() => null);
    if (held === null || customerId !== customerNow()) return;
    this.#customerId = customerId;
    setEvidence(held.map((one) => [String(one.number), stateOf(one)] as const));
    for (const one of held) if (one.logged?.fault !== null) this.#add(one);
    for (const order of useOrders.getState().orders ?? []) void this.take(order);
  }

  async take(order: Order): Promise<void> {
    const customerId = this.#customerId;
    const isKnown = useEvidence.getState().states.has(order.id);
    if (customerId === null || order.status !== 'unsettled' || isKnown) return;
    setEvidence([[order.id, 'waiting']]);
    const held = await keepOrder(heldOf(customerId, order));
    const state = stateOf(held);
    if (state !== 'waiting') setEvidence([[order.id, state]]);
    if (state !== 'logged') this.#add(held);
  }

  forget(): void {
    this.#customerId = null;
    this.#questions.clear();
    this.#schedule();
  }

  #add(held: HeldOrder): void {
    const id = String(held.number);
    if (held.customerId !== customerNow() || this.#questions.has(id)) return;
    this.#questions.set(id, { held, count: 0, dueMs: performance.now() + pauseBefore(0) });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const [next] = [...this.#questions.values()].sort((one, other) => one.dueMs - other.dueMs);
    if (!next || this.#isAsking) return;
    this.#timer = setTimeout(() => void this.#ask(next), Math.max(0, next.dueMs - performance.now()));
  }

  async #ask({ held, count }: Question): Promise<void> {
    const id = String(held.number);
    this.#isAsking = true;
    const answer = await askLogged(held).catch(answerOf);
    this.#isAsking = false;
    if (held.customerId === customerNow()) {
      if (answer === null)
        this.#questions.set(id, {
          held,
          count: count + 1,
          dueMs: performance.now() + pauseBefore(count + 1),
        });
      else this.#questions.delete(id);
      if (typeof answer === 'boolean') setEvidence([[id, answer ? 'logged' : 'wrong']]);
    }
    this.#schedule();
  }
}

/** A refusal is final until the next start; without an answer the question is asked again. */
const answerOf = (error: unknown): 'refused' | null => (error instanceof RefusedError ? 'refused' : null);

function stateOf(held: HeldOrder) {
  if (!isHeldAsAsked(held)) return 'wrong';
  return held.logged === null ? 'waiting' : held.logged.fault === null ? 'logged' : 'wrong';
}

export function followEvidence(): void {
  const follower = new EvidenceFollower();
  let customerId: string | null = null;
  const follow = () => {
    const now = customerNow();
    if (now === customerId) return;
    customerId = now;
    follower.forget();
    if (now !== null) void follower.begin(now);
  };
  onOrder((order) => void follower.take(order));
  onSessionEnd(follow);
  useSession.subscribe(follow);
  follow();
}
