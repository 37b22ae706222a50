import { post } from '../api/client.ts';
import { type RowOf, useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { formatTime } from '../state/format.ts';
import { refreshTreasury, useStatementImports } from './queries.ts';

/** Imports of statements; one is undone as a whole as long as none of its lines is used. */
export function StatementImports() {
  const { t } = useText();
  const has = useHas();
  const columns: Column<RowOf<'statement/imports'>>[] = [
    { header: t('audit.time'), cell: ({ importedAt }) => formatTime(importedAt) },
    { header: t('statement.importedBy'), cell: ({ importedBy }) => importedBy.name },
    { header: t('review.asset'), cell: ({ asset }) => asset },
    { header: t('fact.lines'), cell: ({ lines }) => lines, isNumber: true },
    {
      header: t('statement.day'),
      cell: ({ from, to }) => [...new Set([from, to])].filter(Boolean).join(' – '),
    },
    {
      header: t('shell.actions'),
      isUnnamed: true,
      cell: ({ id, lines, undoneBy }) => {
        if (undoneBy !== null) return t('statement.undone', { name: undoneBy.name });
        if (!has('cashier')) return null;
        return (
          <FormAction
            label={t('statement.undo')}
            button={{ size: 'small' }}
            values={{}}
            inputs={() => [<p key="ask">{t('statement.undoAsk', { count: lines })}</p>]}
            send={() => post('statement/undo', { id })}
            refresh={refreshTreasury}
            submit={t('statement.undo')}
            isRefusal
            done={(undone) => t('statement.undoDone', { count: undone.lines })}
          />
        );
      },
    },
  ];
  return (
    <DataTable
      caption={t('statement.imports')}
      columns={columns}
      list={useStatementImports()}
      none={t('statement.noImports')}
    />
  );
}
