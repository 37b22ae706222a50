import { LINE_KINDS } from '@fairtick/protocol/office/statement-fields';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { type RowOf, useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Decision, Stated } from '../proposals/decision.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { useMatchText } from '../shell/match-text.ts';
import { readable, withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { Cut } from './parts.tsx';
import { refreshTreasury, useStatementLines } from './queries.ts';

type Line = RowOf<'statement/list'>;
type Explanation = Line['explanations'][number];

export function StatementLines({ state }: { state: 'open' | 'all' }) {
  const { t } = useText();
  const columns: Column<Line>[] = [
    { header: t('statement.day'), cell: ({ bookedOn }) => bookedOn },
    {
      header: t('review.amount'),
      cell: ({ amount, asset }) => <strong>{withAsset(amount, asset)}</strong>,
      isNumber: true,
    },
    { header: t('withdrawal.reference'), cell: ({ reference }) => <Cut text={reference} /> },
    { header: t('statement.counterparty'), cell: ({ counterparty }) => <Cut text={counterparty} /> },
    {
      header: t('statement.match'),
      cell: (line) => (
        <span className="flex-column items-start gap-4">
          <Matched line={line} />
        </span>
      ),
    },
  ];
  return (
    <DataTable
      caption={t('page.statements')}
      columns={columns}
      list={useStatementLines(state)}
      none={t('statement.none')}
    />
  );
}

/** The request that a line pays, what staff say of it, or the candidates: each links to its case with the line filled in. */
function Matched({ line }: { line: Line }) {
  const { t } = useText();
  const matchText = useMatchText();
  const { creditedAs, paidAs, explanations, suggestions } = line;
  const request = creditedAs ?? paidAs;
  if (request !== null)
    return (
      <Link className="opens" href={`~/${creditedAs === null ? 'withdrawals' : 'deposits'}/${request}`}>
        {t(creditedAs === null ? 'statement.paidAs' : 'statement.creditedAs', { id: request })}
      </Link>
    );
  const [newest] = explanations;
  if (newest?.status === 'proposed' || isExplained(line))
    return <Explained line={line} newest={newest as Explanation} />;
  return (
    <>
      {line.sign !== null && <Sign sign={line.sign} />}
      {suggestions.map((one) => (
        <Link key={one.id} className="opens" href={`~/deposits/${one.id}?line=${line.id}`}>
          {one.account} · {readable(one.amount)}
          <span className="caption"> {matchText(one)}</span>
        </Link>
      ))}
      {suggestions.length === 0 && (
        <>
          <span className="caption">{t('statement.noMatch')}</span>
          <Link className="opens" href={line.amount.startsWith('-') ? '~/withdrawals' : '~/deposits'}>
            {t('statement.find')}
          </Link>
        </>
      )}
      <Explain line={line} />
      <Said explanations={explanations} />
    </>
  );
}

/** Names the sign that a line's references give, with a link to its deposit or withdrawal. */
function Sign({ sign: { sign, id, account } }: { sign: NonNullable<Line['sign']> }) {
  const { word } = useText();
  const isPayout = sign === 'paid' || sign === 'returned';
  return (
    <span>
      {word('lineSign', sign)}
      {id === null ? (
        account && <span className="caption"> {account}</span>
      ) : (
        <>
          {' '}
          <Link className="opens" href={`~/${isPayout ? 'withdrawals' : 'deposits'}/${id}`}>
            {[id, account].filter(Boolean).join(' · ')}
          </Link>
        </>
      )}
    </span>
  );
}

/** Whether an explanation of the line took effect and was not withdrawn. */
const isExplained = ({ explanations }: Line): boolean =>
  (explanations.find(({ status }) => status === 'done')?.kind ?? 'none') !== 'none';

/** All that staff said of the line, the newest first. */
function Said({ explanations }: { explanations: readonly Explanation[] }) {
  const { word } = useText();
  return explanations.map(({ kind, note, proposedBy, proposedAt, decidedBy }) => (
    <span key={proposedAt} className="caption">
      {[word('lineKind', kind), note, proposedBy.name, decidedBy?.name, formatTime(proposedAt)]
        .filter(Boolean)
        .join(' · ')}
    </span>
  ));
}

function Explained({ line, newest }: { line: Line; newest: Explanation }) {
  const { t, word } = useText();
  const { id, kind, note, status } = newest;
  const amount = withAsset(line.amount, line.asset);
  return (
    <>
      <Said explanations={line.explanations} />
      {status === 'done' && <Explain line={line} />}
      {status === 'proposed' && id !== null && (
        <Decision
          proposal={{ ...newest, id }}
          subject={t('explain.title')}
          approve={t('explain.approve', { amount })}
          decide={(verdict) => post('statement/decide', { id, verdict })}
          refresh={refreshTreasury}
          done={t('explain.done')}
        >
          <Stated name={t('review.amount')} value={amount} />
          <Stated name={t('withdrawal.reference')} value={line.reference} />
          <Stated name={t('statement.counterparty')} value={line.counterparty} />
          <Stated name={t('fact.kind')} value={word('lineKind', kind)} />
          <Stated name={t('fact.note')} value={note} />
        </Decision>
      )}
    </>
  );
}

/** Says what a line is that is no customer's payment, or withdraws what was said. */
function Explain({ line }: { line: Line }) {
  const { t, word } = useText();
  const has = useHas();
  const withdraws = isExplained(line);
  if (!has('cashier')) return null;
  const kind = {
    ...{ name: 'kind', label: t('fact.kind') },
    choices: LINE_KINDS.filter((one) => (one === 'none') === withdraws),
    nameOf: (one: string) => word('lineKind', one),
    ...(!withdraws && { none: t('statement.choice') }),
  };
  const action = t(withdraws ? 'explain.withdraw' : 'explain.action');
  return (
    <FormAction
      label={action}
      title={t('explain.title')}
      button={{ size: 'small' }}
      draft={`explain ${line.id}`}
      values={{ kind: withdraws ? 'none' : '', note: '' }}
      inputs={() => [
        <p key="line">
          <strong>{withAsset(line.amount, line.asset)}</strong>, {line.reference}
        </p>,
        kind,
        { name: 'note', label: t('fact.note'), hint: t('explain.hint'), maxLength: 500 },
      ]}
      send={(body) => post('statement/explain', { id: line.id, ...body })}
      refresh={refreshTreasury}
      submit={action}
      done={({ status }) => t(status === 'done' ? 'explain.done' : 'decision.proposed')}
    />
  );
}
