import type { Text } from '../../messages/text.ts';
import { useText } from '../../messages/text-context.tsx';
import type { More } from '../../parts/load-more.tsx';
import { type Column, SortableTable } from '../../parts/sortable-table.tsx';
import { Link } from '../../shell/link.tsx';
import { compareMoney } from '../../state/decimal-strings.ts';
import { formatAmount, formatDateTime, formatTime } from '../../state/format.ts';
import { OutcomeTag } from '../parts/outcome-tag.tsx';
import css from '../parts/records.module.css';
import { outcomeText } from '../parts/request-words.ts';
import type { Request } from '../parts/requests.ts';

const pathOf = ({ kind, id }: Request): string => `/accessLog?${kind}=${id}`;
export const keyOf = ({ kind, id }: Request): string => `${kind}${id}`;

const kindText = ({ kind }: Request, t: Text['t']): string => t(`log.type.${kind}`);

/** Through which channel a deposit comes, or where a withdrawal goes. */
function placeText(request: Request, t: Text['t']): string {
  if (request.kind === 'withdrawal') return request.destination.label;
  return request.network === 'bank' ? t('deposit.bankTransfer') : request.network;
}

/** The amount, with a sign once it has moved: credited, or paid. */
function moved(request: Request): { asset: string; amount: string; sign: string } {
  const { kind, status, asset } = request;
  const amount = kind === 'deposit' ? (request.credited ?? request.amount) : request.amount;
  if (status !== 'success') return { asset, amount, sign: '' };
  return { asset, amount, sign: kind === 'deposit' ? '+' : '\u2212' };
}

function Amount({ request }: { request: Request }) {
  const { asset, amount, sign } = moved(request);
  return <b translate="no">{`${sign}${formatAmount(amount)} ${asset}`}</b>;
}

export function RequestRow({ request }: { request: Request }) {
  const { t, tag } = useText();
  return (
    <Link
      href={pathOf(request)}
      className={css.row}
      data-request={`${request.kind}:${request.id}`}
      data-status={request.status}
    >
      <div>
        <span className={`row gap-8 title-15 ${css.name}`}>
          {kindText(request, t)}
          <OutcomeTag of={request} />
        </span>
        <p className="caption breaks">{`${formatTime(request.submittedAt, tag)} · ${placeText(request, t)}`}</p>
      </div>
      <div className={css.sum} data-still={request.status === 'success' ? undefined : ''}>
        <Amount request={request} />
      </div>
    </Link>
  );
}

export function RequestTable(props: { requests: readonly Request[]; more: More }) {
  const { t } = useText();
  return (
    <SortableTable
      label={t('title.accessLog')}
      columns={useColumns()}
      rows={props.requests}
      keyOf={keyOf}
      more={props.more}
    />
  );
}

function useColumns(): readonly Column<Request>[] {
  const { t, tag, language } = useText();
  const inWords = (textOf: (request: Request) => string) => (a: Request, b: Request) =>
    textOf(a).localeCompare(textOf(b), tag);
  return [
    {
      id: 'time',
      name: t('log.time'),
      width: 17,
      cell: ({ submittedAt }) => formatDateTime(submittedAt, tag),
      compare: (a, b) => a.submittedAt - b.submittedAt,
    },
    {
      id: 'type',
      name: t('requests.type'),
      width: 20,
      cell: (request) => (
        <Link
          href={pathOf(request)}
          data-request={`${request.kind}:${request.id}`}
          data-status={request.status}
        >
          {t(request.kind === 'deposit' ? 'log.ofDeposit' : 'log.ofWithdrawal', { id: request.id })}
        </Link>
      ),
      compare: inWords((request) => kindText(request, t)),
    },
    { id: 'place', name: t('requests.place'), width: 28, cell: (request) => placeText(request, t) },
    {
      id: 'status',
      name: t('requests.status'),
      width: 15,
      cell: (request) => <OutcomeTag of={request} />,
      compare: inWords((request) => outcomeText(request, language)),
    },
    {
      id: 'amount',
      name: t('log.amount'),
      width: 20,
      isFigure: true,
      cell: (request) => (
        <span className={css.figure} data-still={request.status === 'success' ? undefined : ''}>
          <Amount request={request} />
        </span>
      ),
      compare: (a, b) => compareMoney(moved(a), moved(b)),
    },
  ];
}
