/**
 * The life of a deposit.
 *
 *              ┌─ found, approved
 *              v  │
 *   submitted ─> review ── credited ─────────────> success
 *                   ├───── failed ────────────────> failure
 *                   └ ignored, cancelled, lapsed ─> ignored
 *
 * Money moves in one place: `credited`, from the ledger's external account, and only what staff found. A claim that was found as
 * claimed and is not large takes one cashier; any other takes one or two approvers as well (`four_eyes_rules`). The end states
 * are final. A deposit that staff have not looked into for 14 days lapses (`schema/money/requests.sql`).
 *
 * The database enforces the same: the table, its guard and the functions of `schema/money/deposits.sql`.
 */
export const DEPOSIT_STATUSES = ['review', 'success', 'failure', 'ignored'] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

export const DEPOSIT_STEPS = [
  'found',
  'approved',
  'credited',
  'failed',
  'ignored',
  'cancelled',
  'lapsed',
] as const;
export type DepositStep = (typeof DEPOSIT_STEPS)[number];

const NEXT: Readonly<Record<DepositStep, DepositStatus>> = {
  found: 'review',
  approved: 'review',
  credited: 'success',
  failed: 'failure',
  ignored: 'ignored',
  cancelled: 'ignored',
  lapsed: 'ignored',
};

/** The status that a step leads to, or null when the step is not possible. */
export function nextDepositStatus(status: DepositStatus, step: DepositStep): DepositStatus | null {
  return status === 'review' ? NEXT[step] : null;
}
