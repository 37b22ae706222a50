import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { get, post } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, FormFault, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import { OneTimePassword } from './one-time-password.tsx';
import { CHANGES, type Change, refreshStaff, useStaff } from './queries.ts';
import css from './staff.module.css';

/**
 * Proposed changes of staff. Neither the proposer nor the person concerned can carry one out; the server refuses and says why.
 */
export function ChangesTable({ isAdministrator }: { isAdministrator: boolean }) {
  const { t, word, tag } = useText();
  const me = useMe().data;
  const staff = useStaff();
  const [secret, setSecret] = useState<{ account: string; password: string } | null>(null);
  const form = useForm();
  const changes = useInfiniteQuery({
    queryKey: CHANGES,
    queryFn: ({ pageParam, signal }) =>
      get('staff/changes', { limit: 50, cursor: pageParam ?? undefined }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const rows = useMemo(() => changes.data?.pages.flatMap(({ items }) => items) ?? [], [changes.data]);
  const accountOf = (id: string | null) =>
    id === null ? '' : (staff.data?.find((member) => member.id === id)?.account ?? id);
  const done = async (text: string) => {
    useToast.getState().show(text);
    await refreshStaff();
  };
  const carryOut = async (change: Change) => {
    const { oneTimePassword } = await post('staff/carryOut', { id: change.id });
    if (oneTimePassword !== null) setSecret({ account: change.account, password: oneTimePassword });
    await done(t('staff.done'));
  };
  const refuse = async (change: Change) => {
    await post('staff/refuse', { id: change.id });
    await done(t('staff.refused'));
  };
  const columns: Column<Change>[] = [
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.proposedAt, tag) },
    {
      id: 'what',
      header: t('staff.change'),
      cell: ({ row: { original } }) => changeText(original, word),
    },
    { id: 'whom', header: t('session.account'), cell: ({ row }) => <strong>{row.original.account}</strong> },
    { id: 'by', header: t('staff.proposedBy'), cell: ({ row }) => accountOf(row.original.proposedBy) },
    { id: 'state', header: t('staff.state'), cell: ({ row }) => word('change', row.original.state) },
    { id: 'decided', header: t('staff.decidedBy'), cell: ({ row }) => accountOf(row.original.decidedBy) },
    {
      id: 'act',
      header: () => <span className="sr">{t('shell.actions')}</span>,
      cell: ({ row: { original } }) =>
        isAdministrator &&
        original.state === 'proposed' && (
          <span className={css.acts}>
            <Action size="small" disabled={form.isBusy} onClick={() => form.send(() => refuse(original))}>
              {t('staff.refuse')}
            </Action>
            {original.proposedBy !== me?.id && (
              <Action
                size="small"
                look="gold"
                disabled={form.isBusy}
                onClick={() => form.send(() => carryOut(original))}
              >
                {t('staff.carryOut')}
              </Action>
            )}
          </span>
        ),
      meta: { isNumber: true },
    },
  ];
  return (
    <>
      <FormFault text={form.fault} />
      <DataTable
        caption={t('staff.changes')}
        columns={columns}
        rows={rows}
        idOf={({ id }) => id}
        empty={
          changes.isPending
            ? t('shell.loading')
            : t(changes.isError ? 'shell.networkError' : 'staff.noChanges')
        }
      />
      {changes.hasNextPage && (
        <p className={css.more}>
          <Action onClick={() => void changes.fetchNextPage()}>{t('shell.more')}</Action>
        </p>
      )}
      <OneTimePassword secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}

/** "Grant: cashier". */
function changeText(
  { kind, role, customerId }: Change,
  word: (prefix: string, name: string) => string,
): string {
  const about = role === null ? customerId : word('role', role);
  return about === null ? word('change', kind) : `${word('change', kind)}: ${about}`;
}
