import { useState } from 'react';
import { post } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { useOutcome } from '../proposals/outcome.ts';
import { ProposalsTable } from '../proposals/proposals-table.tsx';
import type { Column } from '../shell/data-table.tsx';
import { Action, FormFault, useForm } from '../shell/form.tsx';
import { SecretDialog } from '../shell/secret-dialog.tsx';
import { type Change, refreshStaff, useChanges } from './queries.ts';
import css from './staff.module.css';

/**
 * Proposed changes of staff. Neither the proposer nor the person concerned can carry one out; the server refuses and says why.
 */
export function ChangesTable({ isAdministrator }: { isAdministrator: boolean }) {
  const text = useText();
  const { t } = text;
  const me = useMe().data;
  const [made, setMade] = useState<{ account: string; password: string } | null>(null);
  const form = useForm();
  const tell = useOutcome(refreshStaff);
  const carryOut = async ({ id, account }: Change) => {
    const { oneTimePassword } = await post('staff/carryOut', { id });
    if (oneTimePassword !== null) setMade({ account, password: oneTimePassword });
    await tell('done');
  };
  const isOwn = ({ proposedBy }: Change) => proposedBy.id === me?.id;
  const refuse = async (change: Change) => {
    await post('staff/refuse', { id: change.id });
    await tell(isOwn(change) ? 'withdrawn' : 'refused');
  };
  const columns: Column<Change>[] = [
    { header: t('staff.change'), cell: (row) => changeText(row, text) },
    { header: t('session.account'), cell: (row) => <strong>{row.account}</strong> },
  ];
  const action = (change: Change) =>
    isAdministrator && (
      <span className={css.acts}>
        <Action size="small" disabled={form.isBusy} onClick={() => form.send(() => refuse(change))}>
          {t(isOwn(change) ? 'decision.withdraw' : 'staff.refuse')}
        </Action>
        {!isOwn(change) && (
          <Action
            size="small"
            look="gold"
            disabled={form.isBusy}
            onClick={() => form.send(() => carryOut(change))}
          >
            {t('staff.carryOut')}
          </Action>
        )}
      </span>
    );
  return (
    <>
      <FormFault text={form.fault} />
      <ProposalsTable list={useChanges()} columns={columns} action={action} />
      <SecretDialog
        title={t('staff.oneTime')}
        text={t('staff.oneTimeText', { account: made?.account ?? '' })}
        secret={made?.password ?? null}
        onClose={() => setMade(null)}
      />
    </>
  );
}

/** "Grant: cashier". */
function changeText({ kind, role, customerId }: Change, { t, word }: Text): string {
  const about = role === null ? customerId : word('role', role);
  const name = word('change', kind);
  return about === null ? name : t('shell.named', { name, value: about });
}
