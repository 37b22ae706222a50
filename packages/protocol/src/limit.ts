/** A number of calls by one customer, one member of staff or, without a session, one network. */
export interface Quota {
  readonly minute: number;
  readonly day: number;
}

/**
 * Calls without a session that one network may make in a minute; the operator sets the numbers. Registrations are also counted by day,
 * for all addresses of a wider network together and for each address.
 */
export type Attempt = 'registration' | 'login' | 'recovery' | 'recovery request';

/**
 * Kinds of guesses at secrets, each with a count of its own. Failed logins by a stranger who knows an account's name do
 * not block a logged-in customer or a recovery code; and a right code of one's own new factor does not reset another
 * count.
 */
export type GuessKind = 'login' | 'session' | 'factor' | 'recovery' | 'recovery factor';

/**
 * How often an operation may be called, over all processes. Every part that is given holds. Customers and staff are
 * counted apart.
 */
export interface Limit {
  /** Counted before the fields are checked, for this operation alone. */
  readonly quota?: Quota;
  /** Counted once the fields are right, for all operations of the kind together (`recovery` counts as `login`). */
  readonly attempt?: Attempt;
  /** Wrong guesses at an account's secrets, of these kinds; the operator sets how many in 15 minutes. */
  readonly guesses?: readonly GuessKind[];
  /** Counted once the fields are right: one customer's orders within a second; the operator sets how many. */
  readonly perSecond?: 'orders';
  /** A function of the database limits it, and refuses with a code of the operation. */
  readonly isInDatabase?: true;
}

/** The limit of an operation that declares none. */
export const ORDINARY: Limit = { quota: { minute: 60, day: 2_000 } };
/** For settings that people change rarely, and requests that store a record. */
export const SELDOM: Limit = { quota: { minute: 20, day: 100 } };
/** For actions with money and credentials; exceeds the needs of a busy day. */
export const SOMETIMES: Limit = { quota: { minute: 20, day: 400 } };
/** For staff: typing and read marks come often. */
export const BY_STAFF: Limit = { quota: { minute: 120, day: 10_000 } };
