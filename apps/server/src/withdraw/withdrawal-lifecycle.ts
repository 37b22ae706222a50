/**
 * The life of a withdrawal. The customer sees `review` up to the payout.
 *
 *                ┌─ proposed, approved   ┌──── proposed ────┐
 *                v  │                    v                  │
 *   submitted ─> review ── approved (the last that is needed) ─> approved ── paid ──> success
 *                   ├───── failed ───────────────────────────────> ┴─ failed ────────> failure
 *                   └───── cancelled, lapsed ────────────────────────────────────────> ignored
 *
 *   money:  available ──submitted──> held ──paid──> outside (and the fee to the house)
 *                                     └───failed, cancelled, lapsed──> available
 *
 * A cashier proposes, and one or two others approve exactly that (`four_eyes_rules`). Proposing anew takes an approved one back
 * under review: what was approved is not what would be paid. A hold keeps it from being approved, never from being asked for.
 * Only a customer begins one, and only the customer ignores it, or time: 14 days after the last thing that happened to it, unless
 * it was approved once and may be on its way (migration 010).
 *
 * The database holds the same: `withdrawal_requests` and its guard (migrations 007), and the functions of 008.
 */
export const WITHDRAWAL_STATUSES = ['review', 'approved', 'success', 'failure', 'ignored'] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

export const WITHDRAWAL_STEPS = ['proposed', 'approved', 'paid', 'failed', 'cancelled', 'lapsed'] as const;
export type WithdrawalStep = (typeof WITHDRAWAL_STEPS)[number];

const NEXT: Readonly<
  Record<'review' | 'approved', Readonly<Partial<Record<WithdrawalStep, readonly WithdrawalStatus[]>>>>
> = {
  review: {
    proposed: ['review'],
    // Under review until enough have approved.
    approved: ['review', 'approved'],
    failed: ['failure'],
    cancelled: ['ignored'],
    lapsed: ['ignored'],
  },
  approved: { proposed: ['review'], paid: ['success'], failed: ['failure'] },
};

/** Where a step may lead; nowhere, where it can't be taken. */
export function nextWithdrawalStatuses(
  status: WithdrawalStatus,
  step: WithdrawalStep,
): readonly WithdrawalStatus[] {
  return status === 'review' || status === 'approved' ? (NEXT[status][step] ?? []) : [];
}
