import type { Language } from '@fairtick/protocol/languages';
import { stateText } from '@fairtick/protocol/request-states';
import type { Text } from '../../messages/text.ts';
import { formatAmount, formatDateTime } from '../../state/format.ts';
import type { Request } from './requests.ts';
import type { Stage } from './stages.tsx';

/** What became of a request, in one word. An approved withdrawal waits for its payment: its review is over. */
export const outcomeText = ({ status, ending, stage }: Outcome, language: Language): string =>
  stateText(stage === 'approved' || stage === 'sending' ? stage : status, ending, language);

export interface Outcome extends Pick<Request, 'status' | 'ending'> {
  /** Of a withdrawal under review. */
  readonly stage?: string | null;
}

export const money = (amount: string, asset: string): string => `${formatAmount(amount)} ${asset}`;

export function nextStep(request: Request, { t, tag }: Text, nowMs: number): string {
  if (request.kind === 'deposit') {
    switch (request.status) {
      case 'review':
        return t('wallet.next.depositReview');
      case 'success':
        return t('wallet.next.depositSuccess', {
          amount: money(request.credited ?? request.amount, request.asset),
        });
      case 'failure':
        return t('wallet.next.depositFailure', { id: request.id });
      case 'ignored':
        return t('wallet.next.depositIgnored');
    }
  }
  switch (request.status) {
    case 'review':
      if (request.waitsForClaim) return t('wallet.next.withdrawalClaimed');
      if (request.payableAt !== null && request.payableAt > nowMs)
        return t('wallet.next.withdrawalHeld', { time: formatDateTime(request.payableAt, tag) });
      return t(
        request.stage === 'sending'
          ? 'wallet.next.withdrawalSending'
          : request.stage === 'approved'
            ? 'wallet.next.withdrawalApproved'
            : request.stage === 'checked'
              ? 'wallet.next.withdrawalChecked'
              : 'wallet.next.withdrawalReview',
      );
    case 'success':
      return t(
        request.payout?.state === 'paid' ? 'wallet.next.withdrawalOnChain' : 'wallet.next.withdrawalSuccess',
      );
    case 'failure':
      return t('wallet.next.withdrawalFailure');
    case 'ignored':
      return t('wallet.next.withdrawalIgnored');
  }
}

/** Whether a withdrawal is approved and not paid yet. */
export const isApproved = (request: Request): boolean =>
  request.kind === 'withdrawal' && (request.stage === 'approved' || request.stage === 'sending');

export function stagesOf(request: Request, { t, tag }: Text): Stage[] {
  const isDeposit = request.kind === 'deposit';
  const isReviewed = isApproved(request);
  const submit: Stage = {
    name: t('wallet.stage.submitted'),
    note: formatDateTime(request.submittedAt, tag),
    state: 'done',
  };
  const review = t('wallet.stage.review');
  const last = t(isDeposit ? 'deposit.stageCredited' : 'withdrawal.stagePaid');
  return [
    submit,
    {
      name: review,
      note: t(isReviewed ? 'wallet.stage.approved' : 'wallet.stage.underWay'),
      state: isReviewed ? 'done' : 'now',
    },
    {
      name: last,
      note: t(isDeposit ? 'deposit.stageCreditedNote' : 'withdrawal.stagePaidNote'),
      state: isReviewed ? 'now' : 'ahead',
    },
  ];
}
