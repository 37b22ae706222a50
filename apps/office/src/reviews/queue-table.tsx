import { endingOf, stateText } from '@fairtick/protocol/request-states';
import { Tag } from '@fairtick/ui';
import type { CSSProperties } from 'react';
import type { MessageId } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable, type List } from '../shell/data-table.tsx';
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
  list: List<QueueCase>;
  none: string;
  openId: string | null;
  nowMs: number;
  targetMinutes: number;
  onOpen: (id: string) => void;
}) {
  const { t, word, language } = useText();
  const riskText = useRiskText();
  const ageText = useAgeText();
  const { kind, nowMs, targetMinutes } = props;
  const columns: Column<QueueCase>[] = [
    {
      header: t('review.age'),
      cell: ({ id, decidedAt, submittedAt }) => {
        const waited = (decidedAt ?? nowMs) - submittedAt;
        const share = Math.min(1, Math.max(0.04, waited / (targetMinutes * 60_000)));
        return (
          <span className={`row gap-8 ${css.age}`} data-row={id}>
            <i
              style={{ '--share': `${share * 100}%` } as CSSProperties}
              data-late={share >= 1 || undefined}
            />
            {ageText(waited)}
          </span>
        );
      },
    },
    { header: t('review.owner'), cell: ({ claim }) => <Owner claim={claim} /> },
    {
      header: t('review.customer'),
      cell: ({ account, risks }) => {
        const text = risks.map(riskText).join(' · ');
        return (
          <span className="stack">
            <strong>{account}</strong>
            <span className={`caption ${css.risks}`} title={text}>
              {text}
            </span>
          </span>
        );
      },
    },
    ...useMoneyColumns(kind),
    {
      header: t('staff.state'),
      cell: ({ stage, status, reason }) => (
        <Tag>
          {stage === 'decided' ? stateText(status, endingOf(reason), language) : word('stage', stage)}
        </Tag>
      ),
    },
  ];
  return (
    <DataTable
      caption={t('review.queue')}
      columns={columns}
      list={props.list}
      none={props.none}
      onOpen={({ id }) => props.onOpen(id)}
      openId={props.openId}
    />
  );
}

/** Where the money comes from or goes to, and how much it is; a real name has neither. */
function useMoneyColumns(kind: ReviewKind): Column<QueueCase>[] {
  const { t, word } = useText();
  if (kind === 'identity') return [];
  return [
    {
      header: t(kind === 'withdrawal' ? 'review.destination' : 'review.channel'),
      cell: ({ asset, channel }) => (
        <span className={`secondary block breaks wraps ${css.where}`}>
          {kind === 'deposit' ? `${asset} ${word('network', channel)}` : channel}
        </span>
      ),
    },
    {
      header: t(kind === 'deposit' ? 'review.stated' : 'review.amount'),
      cell: ({ amount, asset }) => (
        <span className="stack">
          <span className={css.figure}>{readable(amount ?? '')}</span>
          {kind === 'withdrawal' && <span className="caption">{asset}</span>}
        </span>
      ),
      isNumber: true,
    },
  ];
}

/** Who has claimed the case: the reader, a colleague, or nobody. */
function Owner({ claim }: Pick<QueueCase, 'claim'>) {
  const { t } = useText();
  if (claim === null) return <span className="secondary">–</span>;
  return claim.isMine ? <strong>{t('review.you')}</strong> : <span>{claim.by.name}</span>;
}
