import { availableParallelism } from 'node:os';

/** How much of one kind of work runs and waits in a process. Requests beyond it get 503 with Retry-After. */
export interface LineBounds {
  readonly atOnce?: number;
  readonly ofOne?: number;
  /** Places to wait for callers of a kind; one caller alone gets a fifth of them. */
  readonly waiting: number;
}

/** Customers have this many times the places of others: one may repeat a request a hundred times, and each gets the same answer. */
export const PLACES_OF_CUSTOMERS = 3;
/** A caller takes at most this part of the places left: one crowd gets a fifth, and after eleven crowds a twelfth is left. */
export const PART_OF_ONE = 1 / 4;

export const BOUNDS = {
  /** A hash takes a core for some 25 ms; one core stays free. */
  passwords: { atOnce: Math.max(1, Math.min(4, availableParallelism()) - 1), waiting: 200 },
  /** Public reads of the market, the log or the news, each with as many connections. */
  reads: { atOnce: 4, waiting: 1_000 },
  /** Requests of one customer that must not overlap. */
  inOrder: { ofOne: 1, waiting: 400 },
  guesses: { ofOne: 1, waiting: 500 },
  /** Forms with pictures. */
  forms: { ofOne: 2, waiting: 100 },
  /** Each export of all data takes some tens of megabytes of memory. */
  exports: { atOnce: 2, waiting: 0 },
  /** What a customer's stream is told. */
  updates: { ofOne: 1, waiting: 20_000 },
  pictures: { atOnce: 2, waiting: 60 },
  outsideTexts: { atOnce: 1, waiting: 500 },
  statements: { atOnce: 1, waiting: 100 },
} as const satisfies Readonly<Record<string, LineBounds>>;

/** Orders that wait: in a process, and of one customer. */
export const ORDERS_WAITING = { all: 2_048, ofOne: 200 } as const;
/** An order is refused at once if by the present pace of batches it would wait for longer, and later if it has waited for as long. */
export const ORDER_WAITS = { expectedMs: 2_000, longestMs: 3_000 } as const;
/** An order is answered in this time, with 503 if it is not placed by then: a retry with its key tells the outcome. */
export const ORDER_WITHIN_MS = 4_000;
/** Clients give up after this time, so no work begins for an older request. */
export const ANSWER_WITHIN_MS = 8_000;
