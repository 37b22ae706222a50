import { endingOf, stateText } from '@fairtick/protocol/request-states';
import { Tag } from '@fairtick/ui';
import type { CSSProperties, ReactNode } from 'react';
import type { MessageId } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { readable } from '../state/amounts.ts';
import { ageOf, type QueueCase, type ReviewKind, type Risk } from './queue-model.ts';
import css from './review.module.css';

/** Returns the text of a risk. */
export function useRiskText() {
  const { t } = useText();
  return ({ name, count }: Risk) => t(`risk.${name}` as MessageId, count === undefined ? {} : { count });
}

export function useAgeText() {
  const { t } = useText();
  return (ms: number) => {
    const { unit, count } = ageOf(ms);
    return t(`age.${unit}` as MessageId, { count });
  };
}

/** Columns: age and owner first, then the customer, the risks and the amount. */
export function QueueTable(props: {
  kind: ReviewKind;
  cases: readonly QueueCase[];
  openId: string | null;
  nowMs: number;
  targetMinutes: number;
  onOpen: (id: string) => void;
  empty: ReactNode;
}) {
  const { t, word, language } = useText();
  const riskText = useRiskText();
  const ageText = useAgeText();
  const { nowMs, targetMinutes } = props;
  const age: Column<QueueCase> = {
    id: 'age',
    header: t('review.age'),
    cell: ({ row: { original } }) => {
      const waited = (original.decidedAt ?? nowMs) - original.submittedAt;
      const share = Math.min(1, Math.max(0.04, waited / (targetMinutes * 60_000)));
      return (
        <span className={`row gap-8 ${css.age}`} data-row={original.id}>
          <i style={{ '--share': `${share * 100}%` } as CSSProperties} data-late={share >= 1 || undefined} />
          {ageText(waited)}
        </span>
      );
    },
  };
  const owner: Column<QueueCase> = {
    id: 'owner',
    header: t('review.owner'),
    cell: ({ row: { original } }) => <Owner one={original} />,
  };
  const customer: Column<QueueCase> = {
    id: 'customer',
    header: t('review.customer'),
    cell: ({ row: { original } }) => (
      <span className="stack">
        <strong>{original.account}</strong>
        <span className={`caption ${css.risks}`} title={original.risks.map(riskText).join(' · ')}>
          {original.risks.map(riskText).join(' · ')}
        </span>
      </span>
    ),
  };
  const channel: Column<QueueCase> = {
    id: 'channel',
    header: t(props.kind === 'withdrawal' ? 'review.destination' : 'review.channel'),
    cell: ({ row: { original } }) => (
      <span className={`secondary block breaks wraps ${css.where}`}>
        {props.kind === 'deposit'
          ? `${original.asset} ${word('network', original.channel)}`
          : original.channel}
      </span>
    ),
  };
  const amount: Column<QueueCase> = {
    id: 'amount',
    header: t(props.kind === 'deposit' ? 'review.stated' : 'review.amount'),
    cell: ({ row: { original } }) => (
      <span className="stack">
        <span className={css.figure}>{readable(original.amount ?? '')}</span>
        {props.kind === 'withdrawal' && <span className="caption">{original.asset}</span>}
      </span>
    ),
    meta: { isNumber: true },
  };
  const status: Column<QueueCase> = {
    id: 'status',
    header: t('staff.state'),
    cell: ({ row: { original } }) => (
      <Tag>
        {original.stage === 'decided'
          ? stateText(original.status, endingOf(original.reason), language)
          : word('stage', original.stage)}
      </Tag>
    ),
  };
  const columns =
    props.kind === 'identity'
      ? [age, owner, customer, status]
      : [age, owner, customer, channel, amount, status];
  return (
    <DataTable
      caption={t('review.queue')}
      columns={columns}
      rows={props.cases}
      idOf={({ id }) => id}
      onOpen={({ id }) => props.onOpen(id)}
      openId={props.openId}
      empty={props.empty}
    />
  );
}

/** Who has claimed the case: the reader, a colleague, or nobody. */
function Owner({ one: { claim } }: { one: QueueCase }) {
  const { t } = useText();
  if (claim === null) return <span className="secondary">–</span>;
  return claim.isMine ? <strong>{t('review.you')}</strong> : <span>{claim.by.name}</span>;
}
