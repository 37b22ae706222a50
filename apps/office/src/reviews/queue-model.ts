import type { OfficeData } from '@fairtick/protocol/office';
import { contains } from '@fairtick/ui/search';

export type ReviewKind = 'deposit' | 'withdrawal' | 'identity';
export type DepositRow = OfficeData<'deposit/queue'>['items'][number];
export type WithdrawalRow = OfficeData<'withdrawal/queue'>['items'][number];
export type IdentityRow = OfficeData<'identity/queue'>['items'][number];

/** A risk of a case; `name` is the id of its text. */
export interface Risk {
  readonly name: string;
  readonly count?: number;
}

/** The next step of a case: review, approval, payout, or none because it is decided. */
export type Stage = 'open' | 'approval' | 'payout' | 'decided';

/** A case of any kind as the queues show it. */
export interface QueueCase {
  readonly id: string;
  readonly customerId: string;
  readonly account: string;
  readonly submittedAt: number;
  readonly decidedAt: number | null;
  readonly claim: DepositRow['claim'];
  readonly stage: Stage;
  readonly status: string;
  /** Why it ended; null while it is open. */
  readonly reason: string | null;
  /** A decimal string; null for a case without money. */
  readonly amount: string | null;
  readonly asset: string | null;
  /** A deposit's network, or a withdrawal's destination. */
  readonly channel: string;
  readonly risks: readonly Risk[];
}

const some = (is: boolean, name: string, count?: number): Risk[] =>
  is ? [count === undefined ? { name } : { name, count }] : [];

/** The stage of a case: decided, proposed and waiting for approval, or open. */
const stageOf = ({ decidedAt, content }: { decidedAt: number | null; content: string | null }): Stage =>
  decidedAt !== null ? 'decided' : content === null ? 'open' : 'approval';

export function fromDeposit(row: DepositRow): QueueCase {
  const { risk } = row;
  return {
    ...shared(row),
    stage: stageOf(row),
    status: row.status,
    amount: row.amount,
    asset: row.asset,
    channel: row.network,
    risks: [
      ...some(risk.isFirst, 'noDeposit'),
      ...some(risk.lastDay > 1, 'lastDay', risk.lastDay),
      ...some(risk.earlierFailures > 0, 'failures', risk.earlierFailures),
    ],
  };
}

/** `nowMs` is the server's time; it decides whether a hold has passed. */
export function fromWithdrawal(row: WithdrawalRow, nowMs: number): QueueCase {
  const { risk, destination, payableAt, waitsForClaim } = row;
  return {
    ...shared(row),
    stage: row.status === 'approved' || row.status === 'sending' ? 'payout' : stageOf(row),
    status: row.status,
    amount: row.amount,
    asset: row.asset,
    channel: destination.label,
    risks: [
      ...some(destination.isGone, 'gone'),
      ...some(row.decidedAt === null && (waitsForClaim || (payableAt !== null && payableAt > nowMs)), 'hold'),
      ...some(risk.sharedWith.length > 0, 'shared', risk.sharedWith.length),
      ...some(risk.isNewDestination, 'newDestination'),
      ...some(risk.isFirst, 'noPayout'),
      ...some(risk.lastDay > 1, 'lastDay', risk.lastDay),
    ],
  };
}

export function fromIdentity(row: IdentityRow): QueueCase {
  const { risk } = row;
  return {
    ...shared(row),
    stage: row.decidedAt === null ? 'open' : 'decided',
    status: row.state,
    amount: null,
    asset: null,
    channel: '',
    risks: [
      ...some(risk.isExcluded, 'excluded'),
      ...some(risk.isRestricted, 'restricted'),
      ...some(risk.sameDocument.length > 0, 'sameDocument', risk.sameDocument.length),
      ...some(risk.sameName.length > 0, 'sameName', risk.sameName.length),
      ...some(risk.earlierFailures > 0, 'failures', risk.earlierFailures),
    ],
  };
}

const shared = ({
  id,
  customerId,
  account,
  submittedAt,
  decidedAt,
  claim,
  reason,
}: DepositRow | WithdrawalRow | IdentityRow) => ({
  id,
  customerId,
  account,
  submittedAt,
  decidedAt,
  claim,
  reason,
});

export const VIEWS = ['open', 'mine', 'approval', 'payout', 'decided'] as const;
export type View = (typeof VIEWS)[number];

export interface QueueFilter {
  readonly view: View;
  readonly asset: string;
  readonly account: string;
  readonly isRisky: boolean;
}
export const NO_FILTER: QueueFilter = { view: 'open', asset: '', account: '', isRisky: false };

/** The cases that match a filter, in the order of the queue. */
export function filterCases(cases: readonly QueueCase[], filter: QueueFilter): QueueCase[] {
  return cases.filter(
    (one) =>
      isIn(one, filter.view) &&
      (filter.asset === '' || one.asset === filter.asset) &&
      contains(one.account, filter.account) &&
      (!filter.isRisky || one.risks.length > 0),
  );
}

export function isIn({ stage, claim }: QueueCase, view: View): boolean {
  if (view === 'decided') return stage === 'decided';
  if (view === 'open') return stage !== 'decided';
  return view === 'mine' ? claim?.isMine === true : stage === view;
}

/** The case `step` away from the open one; without an open one, the first or the last. Stops at both ends. */
export function neighbour(cases: readonly QueueCase[], openId: string | null, step: 1 | -1): string | null {
  const at = cases.findIndex(({ id }) => id === openId);
  if (at < 0) return (step === 1 ? cases[0] : cases.at(-1))?.id ?? null;
  return (cases[at + step] ?? cases[at])?.id ?? null;
}

/** The next case after a decided one that no colleague has claimed, else the first such case; null if there is none. */
export function nextCase(cases: readonly QueueCase[], decidedId: string): string | null {
  const at = cases.findIndex(({ id }) => id === decidedId);
  const free = (one: QueueCase) => one.id !== decidedId && (one.claim === null || one.claim.isMine);
  return (cases.slice(at + 1).find(free) ?? cases.find(free))?.id ?? null;
}

/** How long a case has waited: minutes up to 2 hours, hours up to 2 days, then days. */
export function ageOf(ms: number): { unit: 'minute' | 'hour' | 'day'; count: number } {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 120) return { unit: 'minute', count: minutes };
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? { unit: 'hour', count: hours } : { unit: 'day', count: Math.floor(hours / 24) };
}
