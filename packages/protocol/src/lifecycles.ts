/** For each status: the steps that are possible, and the statuses that a step may lead to. A status without steps is final. */
const lifecycle = <const Status extends string, const Step extends string = never>(
  table: Readonly<Record<Status, { readonly [step in Step]?: readonly NoInfer<Status>[] }>>,
) => table;

/**
 * The lifecycles, each from its first status on. The database enforces the same table (`lifecycles` in
 * apps/server/schema/values.sql); lifecycles.test.ts compares both, and tries every pair of statuses.
 */
export const LIFECYCLES = {
  /**
   * Money moves in one place: `credited`, from the ledger's external account, and only what staff found. A claim that was found as
   * claimed and is not large takes one cashier; any other takes one or two approvers as well (`four_eyes_rules`). A deposit that
   * staff have not looked into for 14 days lapses (`schema/money/requests.sql`).
   */
  deposit: lifecycle({
    review: {
      found: ['review'],
      approved: ['review'],
      credited: ['success'],
      failed: ['failure'],
      ignored: ['ignored'],
      cancelled: ['ignored'],
      lapsed: ['ignored'],
    },
    success: {},
    failure: {},
    ignored: {},
  }),
  /**
   * Submitting holds the money; `paid` moves it outside and the fee to the house; `failed`, `cancelled` and `lapsed` release it.
   * A cashier proposes, and one or two others approve exactly that content (`four_eyes_rules`): the last approval that is needed
   * leads to `approved`. A new proposal takes an approved withdrawal back under review, because the content to be paid has changed.
   * A cashier takes it to pay it (`sending`), before any money leaves. `sending` ends by the payment's reference (`paid`), or by two
   * people who say what became of it (`paid`, `not_sent`); it never lapses. An answer of a payment provider that can't be booked is
   * kept (`answered`), and makes an approved withdrawal `sending` again, so that nobody pays it a second time.
   * A hold prevents the approval, but not the request. It lapses 14 days after its last event, unless it was approved once and may
   * be on its way (`schema/money/requests.sql`). Customers see `approved` and `sending` as `review`.
   */
  withdrawal: lifecycle({
    review: {
      proposed: ['review'],
      approved: ['review', 'approved'],
      failed: ['failure'],
      cancelled: ['ignored'],
      lapsed: ['ignored'],
      answered: ['sending'],
    },
    approved: { proposed: ['review'], taken: ['sending'], failed: ['failure'], answered: ['sending'] },
    sending: { paid: ['success'], not_sent: ['approved'], answered: ['sending'] },
    success: {},
    failure: {},
    ignored: {},
  }),
  /** A submission of a real name. */
  verification: lifecycle({
    pending: { verified: ['verified'], failed: ['failed'] },
    verified: {},
    failed: {},
  }),
  /** The real name of a customer: the state of the last submission. */
  realName: lifecycle({
    none: { submitted: ['pending'] },
    pending: { verified: ['verified'], failed: ['failed'] },
    verified: {},
    failed: { submitted: ['pending'] },
  }),
  /** Everything that needs a second person, except deposits and withdrawals. A new proposal may replace an open one. */
  proposal: lifecycle({
    proposed: { replaced: ['proposed'], done: ['done'], refused: ['refused'] },
    done: {},
    refused: {},
  }),
  /**
   * A payment on a chain to a customer's own address (`schema/money/chains.sql`).
   *
   *   seen → confirming → credited (may be traded with) → final (may be withdrawn)
   *            ↓    ↓          ↓
   *        unmatched held   reverted → confirming (another block has it)
   *
   * A block that the chain replaced drops what it had: `unmined` until another block has it, `dropped` where none does. A credited
   * one that is dropped is taken back; what is spent becomes a debt that blocks withdrawals.
   */
  chainDeposit: lifecycle({
    seen: { mined: ['confirming'], dropped: ['reverted'] },
    confirming: { unmined: ['seen'], credited: ['credited'], held: ['held'], refused: ['unmatched'] },
    credited: { finalised: ['final'], dropped: ['reverted'] },
    held: { credited: ['credited'], refused: ['unmatched'], dropped: ['reverted'] },
    unmatched: { dropped: ['reverted'] },
    reverted: { mined: ['confirming', 'unmatched'] },
    final: {},
  }),
  /**
   * A withdrawal that a chain pays, in a batch (`schema/money/payout-batches.sql`). Its signed bytes are stored (`sending`) before a
   * node gets them (`sent`). A final block ends it: `paid`, or `failed` where the chain undid it or something else has its nonce.
   * If its key is lost, two people confirm that it was not signed, and on chains where transactions expire, that it has expired.
   */
  payout: lifecycle({
    prepared: { signed: ['sending'], lost: ['failed'], unsigned: ['failed'], expired: ['failed'] },
    sending: {
      ...{ sent: ['sent'], mined: ['confirmed'], paid: ['paid'] },
      ...{ reverted: ['failed'], lost: ['failed'], expired: ['failed'] },
    },
    sent: {
      mined: ['confirmed'],
      paid: ['paid'],
      reverted: ['failed'],
      lost: ['failed'],
      expired: ['failed'],
    },
    confirmed: { unmined: ['sent'], paid: ['paid'], reverted: ['failed'], lost: ['failed'] },
    paid: {},
    failed: {},
  }),
  /** A call for help of a customer who can't log in. Setting a new password takes a proposal (`account_recovery`). */
  recovery: lifecycle({
    open: { proposed: ['proposed'], refused: ['refused'] },
    proposed: { proposed: ['proposed'], approved: ['approved'], refused: ['refused'] },
    approved: {},
    refused: {},
  }),
} as const;

export type Lifecycle = keyof typeof LIFECYCLES;
export type StatusOf<L extends Lifecycle> = keyof (typeof LIFECYCLES)[L] & string;
export type StepOf<L extends Lifecycle> = L extends Lifecycle
  ? keyof (typeof LIFECYCLES)[L][keyof (typeof LIFECYCLES)[L]] & string
  : never;

const stepsFrom = <L extends Lifecycle>(lifecycle: L, status: StatusOf<L>) =>
  (LIFECYCLES[lifecycle] as Readonly<Record<string, object>>)[status] ?? {};

export const statusesOf = <L extends Lifecycle>(lifecycle: L) =>
  Object.keys(LIFECYCLES[lifecycle]) as [StatusOf<L>, ...StatusOf<L>[]];

export const stepsOf = <L extends Lifecycle>(lifecycle: L) =>
  [...new Set(Object.values<object>(LIFECYCLES[lifecycle]).flatMap(Object.keys))] as StepOf<L>[];

/** Whether a step is possible in this status. */
export const canTake = <L extends Lifecycle>(lifecycle: L, status: StatusOf<L>, step: StepOf<L>) =>
  step in stepsFrom(lifecycle, status);

export const isFinal = <L extends Lifecycle>(lifecycle: L, status: StatusOf<L>) =>
  Object.keys(stepsFrom(lifecycle, status)).length === 0;
