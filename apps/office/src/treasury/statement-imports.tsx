import type { OfficeData } from '@fairtick/protocol/office';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { useMayDecide } from '../proposals/rights.ts';
import { type Column, DataTable, More, useEmptyText } from '../shell/data-table.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, buttonsClass, FormFault, formClass, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import { refreshTreasury, useStatementImports } from './queries.ts';

type Import = OfficeData<'statement/imports'>['items'][number];

/** Imports of statements; one is undone as a whole as long as none of its lines is used. */
export function StatementImports() {
  const { t, tag } = useText();
  const { mayPropose } = useMayDecide();
  const list = useStatementImports();
  const [open, setOpen] = useState<Import | null>(null);
  const columns: Column<Import>[] = [
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.importedAt, tag) },
    { id: 'by', header: t('statement.importedBy'), cell: ({ row }) => row.original.importedBy.name },
    { id: 'asset', header: t('review.asset'), cell: ({ row }) => row.original.asset },
    {
      id: 'lines',
      header: t('fact.lines'),
      cell: ({ row }) => row.original.lines,
      meta: { isNumber: true },
    },
    {
      id: 'days',
      header: t('statement.day'),
      cell: ({ row: { original } }) => [...new Set([original.from, original.to])].filter(Boolean).join(' – '),
    },
    {
      id: 'act',
      header: () => <span className="sr">{t('shell.actions')}</span>,
      cell: ({ row: { original } }) =>
        original.undoneBy !== null
          ? t('statement.undone', { name: original.undoneBy.name })
          : mayPropose && (
              <Action size="small" onClick={() => setOpen(original)}>
                {t('statement.undo')}
              </Action>
            ),
    },
  ];
  return (
    <>
      <DataTable
        caption={t('statement.imports')}
        columns={columns}
        rows={list.rows}
        idOf={({ id }) => id}
        empty={useEmptyText(list, t('statement.noImports'))}
      />
      <More query={list} />
      <Dialog title={t('statement.undo')} isOpen={open !== null} onClose={() => setOpen(null)}>
        {open && <Undo of={open} onClose={() => setOpen(null)} />}
      </Dialog>
    </>
  );
}

function Undo({ of, onClose }: { of: Import; onClose: () => void }) {
  const { t } = useText();
  const form = useForm();
  const undo = async () => {
    const { lines } = await post('statement/undo', { id: of.id });
    await refreshTreasury();
    useToast.getState().show(t('statement.undoDone', { count: lines }));
    onClose();
  };
  return (
    <div className={formClass}>
      <p>{t('statement.undoAsk', { count: of.lines })}</p>
      <FormFault text={form.fault} />
      <div className={buttonsClass}>
        <Action onClick={onClose}>{t('shell.cancel')}</Action>
        <Action isRefusal disabled={form.isBusy} onClick={() => void form.send(undo)}>
          {t('statement.undo')}
        </Action>
      </div>
    </div>
  );
}
