import type { FundEntry } from '@fairtick/protocol';
import type { ReactNode } from 'react';
import { useText } from '../../messages/text-context.tsx';
import type { More } from '../../parts/load-more.tsx';
import { type Column, SortableTable } from '../../parts/sortable-table.tsx';
import { Link } from '../../shell/link.tsx';
import { compareMoney } from '../../state/decimal-strings.ts';
import { formatAmount, formatDateTime, formatTime } from '../../state/format.ts';
import { OutcomeTag } from '../parts/outcome-tag.tsx';
import css from '../parts/records.module.css';
import { amountText, causeOf, hasMoved, isReturn, typeText } from './entry-words.ts';

/** The result of an entry's request, unless it succeeded or its money came back. */
function Outcome({ entry }: { entry: FundEntry }) {
  const { result: status, ending } = entry;
  return status === 'success' || isReturn(entry) ? null : <OutcomeTag of={{ status, ending }} />;
}

export function EntryRow({ entry }: { entry: FundEntry }) {
  const { t, tag } = useText();
  const { about, href } = causeOf(entry, t);
  const inside: ReactNode = (
    <>
      <div>
        <span className={`row gap-8 title-15 ${css.name}`}>
          {typeText(entry, t)}
          <Outcome entry={entry} />
        </span>
        <p className="caption breaks">{`${formatTime(entry.time, tag)} · ${about}`}</p>
      </div>
      <div className={css.sum} data-still={hasMoved(entry) ? undefined : ''}>
        <b translate="no">{amountText(entry)}</b>
        <small>
          {entry.balance === null
            ? t(entry.type === 'interest' ? 'log.intoEarnings' : 'log.notMoved')
            : t('log.balance', { amount: formatAmount(entry.balance) })}
        </small>
      </div>
    </>
  );
  return href ? (
    <Link href={href} className={css.row} data-entry={entry.id} data-type={entry.type}>
      {inside}
    </Link>
  ) : (
    <div className={css.row} data-entry={entry.id} data-type={entry.type}>
      {inside}
    </div>
  );
}

export function EntryTable(props: { entries: readonly FundEntry[]; more: More }) {
  const { t } = useText();
  return (
    <SortableTable
      label={t('title.changeLog')}
      columns={useColumns()}
      rows={props.entries}
      keyOf={({ id }) => id}
      attributesOf={({ id, type }) => ({ 'data-entry': id, 'data-type': type })}
      more={props.more}
    />
  );
}

function useColumns(): readonly Column<FundEntry>[] {
  const { t, tag } = useText();
  const byType = (a: FundEntry, b: FundEntry) => typeText(a, t).localeCompare(typeText(b, t), tag);
  return [
    {
      id: 'time',
      name: t('log.time'),
      width: 16,
      cell: ({ time }) => formatDateTime(time, tag),
      compare: (a, b) => a.time - b.time,
    },
    { id: 'type', name: t('log.types'), width: 18, cell: (entry) => typeText(entry, t), compare: byType },
    { id: 'cause', name: t('log.cause'), width: 22, cell: (entry) => <Cause entry={entry} /> },
    { id: 'result', name: t('log.result'), width: 12, cell: (entry) => <Outcome entry={entry} /> },
    {
      id: 'amount',
      name: t('log.amount'),
      width: 16,
      isFigure: true,
      cell: (entry) => (
        <b className={css.figure} data-still={hasMoved(entry) ? undefined : ''} translate="no">
          {amountText(entry)}
        </b>
      ),
      compare: compareMoney,
    },
    {
      id: 'balance',
      name: t('log.balanceAfter'),
      width: 16,
      isFigure: true,
      cell: ({ balance, type }) =>
        balance === null
          ? t(type === 'interest' ? 'log.intoEarnings' : 'log.notMoved')
          : formatAmount(balance),
    },
  ];
}

function Cause({ entry }: { entry: FundEntry }) {
  const { t } = useText();
  const { about, href } = causeOf(entry, t);
  return href === null ? about : <Link href={href}>{about}</Link>;
}
