import type { OfficeData } from '@fairtick/protocol/office';
import { Tag } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Tick } from '../shell/form.tsx';
import { readable } from '../state/amounts.ts';
import { Cut } from './parts.tsx';
import css from './statements.module.css';

type Preview = OfficeData<'statement/preview'>;
type Line = Preview['items'][number];

/** Shows which lines an import adds, which it leaves out and why, and asks about the others. */
export function StatementPreview(props: {
  preview: Preview;
  /** Lines in question that are taken, by their line in the file. */
  taken: ReadonlySet<number>;
  onTake: (taken: ReadonlySet<number>) => void;
}) {
  const { t, word } = useText();
  const { lines, new: fresh, items, leftOut, left } = props.preview;
  const counts = Object.entries(leftOut);
  const reasons = counts.map(([reason, count]) => `${word('leftOut', reason)} ${count}`).join(', ');
  const asked = items.filter(({ state }) => state === 'repeat' || state === 'unclear').length;
  return (
    <>
      <p>
        {t('statement.found', { lines, fresh })}{' '}
        {counts.length > 0 &&
          t('statement.leftOut', { count: counts.reduce((sum, [, count]) => sum + count, 0), reasons })}{' '}
        {asked > 0 && <strong>{t('statement.questions', { count: asked })}</strong>}{' '}
        {lines > items.length && t('statement.firstOnly', { count: items.length })}
      </p>
      {left.length > 0 && (
        <details className={css.left}>
          <summary>{t('statement.left')}</summary>
          <ul>
            {left.map(({ line, reason, text }) => (
              <li key={line}>
                {t('statement.leftRow', { line, reason: word('leftOut', reason) })} <code>{text}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      <div className={css.preview}>
        <Lines {...props} />
      </div>
    </>
  );
}

function Lines({ preview: { items }, taken, onTake }: Parameters<typeof StatementPreview>[0]) {
  const { t } = useText();
  const take = (line: number, isTaken: boolean) =>
    onTake(new Set(isTaken ? [...taken, line] : [...taken].filter((one) => one !== line)));
  const columns: Column<Line>[] = [
    { header: t('statement.day'), cell: (row) => row.bookedOn },
    { header: t('review.amount'), cell: (row) => readable(row.amount), isNumber: true },
    { header: t('withdrawal.reference'), cell: (row) => <Cut text={row.reference} /> },
    { header: t('statement.counterparty'), cell: (row) => <Cut text={row.counterparty} /> },
    {
      header: t('staff.state'),
      cell: (row) => {
        const { line, state } = row;
        const name = t(`statement.state.${state}`);
        if (state === 'new' || state === 'known')
          return <Tag look={state === 'known' ? 'outline' : 'plain'}>{name}</Tag>;
        return (
          <span className="stack gap-4">
            {name}
            <Tick
              label={t('statement.take', { line })}
              checked={taken.has(line)}
              onChange={({ target }) => take(line, target.checked)}
            />
          </span>
        );
      },
    },
  ];
  return (
    <DataTable
      caption={t('statement.preview')}
      columns={columns}
      list={items}
      none={t('statement.none')}
      idOf={({ line }) => String(line)}
    />
  );
}
