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
 * A cashier proposes, and one or two others approve exactly that content (`four_eyes_rules`). A new proposal takes an approved
 * withdrawal back under review, because the content to be paid has changed. A hold prevents the approval, but not the request.
 * Only the customer submits one. Only the customer's cancellation or the lapse leads to `ignored`: it lapses 14 days after its
 * last event, unless it was approved once and may be on its way (`schema/money/requests.sql`).
 *
 * The database enforces the same: the table, its guard and the functions of `schema/money/withdrawals.sql`.
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
    // Stays under review until enough people have approved.
    approved: ['review', 'approved'],
    failed: ['failure'],
    cancelled: ['ignored'],
    lapsed: ['ignored'],
  },
  approved: { proposed: ['review'], paid: ['success'], failed: ['failure'] },
};

/** The statuses that a step may lead to; empty when the step is not possible. */
export function nextWithdrawalStatuses(
  status: WithdrawalStatus,
  step: WithdrawalStep,
): readonly WithdrawalStatus[] {
  return status === 'review' || status === 'approved' ? (NEXT[status][step] ?? []) : [];
}
