import type { OfficeData } from '@fairtick/protocol/office';
import { LINE_KINDS } from '@fairtick/protocol/office/statement-fields';
import { useState } from 'react';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Decision, Stated } from '../proposals/decision.tsx';
import { useMayDecide } from '../proposals/rights.ts';
import { type Column, DataTable, More, useEmptyText } from '../shell/data-table.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, FormEnd, formClass, SelectField, TextField, useForm } from '../shell/form.tsx';
import { readable, withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import { Cut } from './parts.tsx';
import { refreshTreasury, useStatementLines } from './queries.ts';

type Line = OfficeData<'statement/list'>['items'][number];
type Explanation = Line['explanations'][number];

export function StatementLines({ state }: { state: 'open' | 'all' }) {
  const { t } = useText();
  const list = useStatementLines(state);
  const [explained, setExplained] = useState<Line | null>(null);
  const columns: Column<Line>[] = [
    { id: 'day', header: t('statement.day'), cell: ({ row }) => row.original.bookedOn },
    {
      id: 'amount',
      header: t('review.amount'),
      cell: ({ row: { original } }) => <strong>{withAsset(original.amount, original.asset)}</strong>,
      meta: { isNumber: true },
    },
    {
      id: 'reference',
      header: t('withdrawal.reference'),
      cell: ({ row }) => <Cut text={row.original.reference} />,
    },
    {
      id: 'who',
      header: t('statement.counterparty'),
      cell: ({ row }) => <Cut text={row.original.counterparty} />,
    },
    {
      id: 'match',
      header: t('statement.match'),
      cell: ({ row: { original } }) => (
        <span className="stack gap-4">
          <Matched line={original} onExplain={() => setExplained(original)} />
        </span>
      ),
    },
  ];
  return (
    <>
      <DataTable
        caption={t('page.statements')}
        columns={columns}
        rows={list.rows}
        idOf={({ id }) => id}
        empty={useEmptyText(list, t('statement.none'))}
      />
      <More query={list} />
      <Dialog title={t('explain.title')} isOpen={explained !== null} onClose={() => setExplained(null)}>
        {explained && <Explain line={explained} onClose={() => setExplained(null)} />}
      </Dialog>
    </>
  );
}

/** The request that a line pays, what staff say of it, or the candidates: each links to its case with the line filled in. */
function Matched({ line, onExplain }: { line: Line; onExplain: () => void }) {
  const { t } = useText();
  const { mayPropose } = useMayDecide();
  const { creditedAs, paidAs, explanations, suggestions } = line;
  if (creditedAs !== null)
    return (
      <Link className="opens" href={`~/deposits/${creditedAs}`}>
        {t('statement.creditedAs', { id: creditedAs })}
      </Link>
    );
  if (paidAs !== null)
    return (
      <Link className="opens" href={`~/withdrawals/${paidAs}`}>
        {t('statement.paidAs', { id: paidAs })}
      </Link>
    );
  const [newest] = explanations;
  if (newest?.status === 'proposed' || isExplained(line))
    return <Explained line={line} newest={newest as Explanation} onExplain={onExplain} />;
  return (
    <>
      {suggestions.map((one) => (
        <Link key={one.id} className="opens" href={`~/deposits/${one.id}?line=${line.id}`}>
          {one.account}, {readable(one.amount)}
          <span className="caption">
            {' '}
            {[one.sameAmount && t('match.sameAmount'), one.namesCustomer && t('match.namesCustomer')]
              .filter((text) => text !== false)
              .join(' · ')}
          </span>
        </Link>
      ))}
      {suggestions.length === 0 && <span className="caption">{t('statement.noMatch')}</span>}
      {suggestions.length === 0 && (
        <Link className="opens" href={line.amount.startsWith('-') ? '~/withdrawals' : '~/deposits'}>
          {t('statement.find')}
        </Link>
      )}
      {mayPropose && (
        <Action size="small" onClick={onExplain}>
          {t('explain.action')}
        </Action>
      )}
      <Said explanations={explanations} />
    </>
  );
}

/** Whether an explanation of the line took effect and was not withdrawn. */
const isExplained = ({ explanations }: Line): boolean =>
  (explanations.find(({ status }) => status === 'done')?.kind ?? 'none') !== 'none';

/** All that staff said of the line, the newest first. */
function Said({ explanations }: { explanations: readonly Explanation[] }) {
  const { word, tag } = useText();
  return explanations.map(({ kind, note, proposedBy, proposedAt, decidedBy }) => (
    <span key={proposedAt} className="caption">
      {[word('lineKind', kind), note, proposedBy.name, decidedBy?.name, formatTime(proposedAt, tag)]
        .filter(Boolean)
        .join(' · ')}
    </span>
  ));
}

function Explained(props: { line: Line; newest: Explanation; onExplain: () => void }) {
  const { t, word } = useText();
  const { mayPropose } = useMayDecide();
  const { line, newest } = props;
  const { id, kind, note, status } = newest;
  const amount = withAsset(line.amount, line.asset);
  return (
    <>
      <Said explanations={line.explanations} />
      {status === 'done' && mayPropose && (
        <Action size="small" onClick={props.onExplain}>
          {t('explain.withdraw')}
        </Action>
      )}
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
          <Stated name={t('staff.proposedBy')} value={newest.proposedBy.name} />
        </Decision>
      )}
    </>
  );
}

/** Says what a line is that is no customer's payment, or withdraws what was said. */
function Explain({ line, onClose }: { line: Line; onClose: () => void }) {
  const { t, word } = useText();
  const withdraws = isExplained(line);
  const kinds = LINE_KINDS.filter((kind) => (kind === 'none') === withdraws);
  const form = useForm({
    draft: `explain ${line.id}`,
    values: { kind: withdraws ? 'none' : '', note: '' },
  });
  const send = async () => {
    const { status } = await post('statement/explain', {
      id: line.id,
      kind: form.values.kind as (typeof LINE_KINDS)[number],
      note: form.values.note.trim(),
    });
    await refreshTreasury();
    useToast.getState().show(t(status === 'done' ? 'explain.done' : 'decision.proposed'));
    onClose();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <p>
        <strong>{withAsset(line.amount, line.asset)}</strong>, {line.reference}
      </p>
      <SelectField label={t('fact.kind')} {...form.field('kind')}>
        {!withdraws && <option value="">{t('statement.choice')}</option>}
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {word('lineKind', kind)}
          </option>
        ))}
      </SelectField>
      <TextField label={t('fact.note')} hint={t('explain.hint')} maxLength={500} {...form.field('note')} />
      <FormEnd form={form} onCancel={onClose}>
        {t(withdraws ? 'explain.withdraw' : 'explain.action')}
      </FormEnd>
    </form>
  );
}
