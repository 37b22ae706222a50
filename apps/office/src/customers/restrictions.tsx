import { FREEZE_REASONS, FROZEN_THINGS, type OfficeData } from '@fairtick/protocol/office';
import { Tag } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { get, post } from '../api/client.ts';
import { queryClient, useMe, usePages } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Decision, Stated } from '../proposals/decision.tsx';
import { ProposalsTable } from '../proposals/proposals-table.tsx';
import { ONE_VIEW } from '../reviews/queries.ts';
import { type Column, DataTable, useEmptyText } from '../shell/data-table.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, FormEnd, formClass, SelectField, TextField, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import css from './customers.module.css';

type Freeze = OfficeData<'restriction/freezes'>[number];
type Change = OfficeData<'restriction/list'>['items'][number];

const LIVE_MS = 5_000;
const FREEZERS = ['support', 'verification', 'cashier', 'approver'];

const refresh = async () => {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['restrictions'] }),
    queryClient.invalidateQueries({ queryKey: ['look', 'customer'] }),
  ]);
};

/** What staff have closed for one customer, and the forms that close, keep and lift it. */
export function Restrictions({ id }: { id: string }) {
  const { t, word, tag } = useText();
  const me = useMe().data;
  const [open, setOpen] = useState<'freeze' | 'propose' | null>(null);
  const freezes = useQuery({
    queryKey: ['look', 'customer', id, 'freezes'],
    queryFn: () => get('restriction/freezes', { customerId: id }),
    ...ONE_VIEW,
  });
  const has = (roles: readonly string[]) => me?.roles.some(({ role }) => roles.includes(role)) === true;
  const columns: Column<Freeze>[] = [
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.at, tag) },
    { id: 'what', header: t('freeze.what'), cell: ({ row }) => word('frozen', row.original.what) },
    {
      id: 'until',
      header: t('freeze.until'),
      cell: ({ row: { original } }) =>
        original.until === original.at ? t('freeze.lifted') : formatTime(original.until, tag),
    },
    {
      id: 'state',
      header: t('staff.state'),
      cell: ({ row: { original } }) => original.isRunning && <Tag look="bad">{t('freeze.running')}</Tag>,
    },
    {
      id: 'reason',
      header: t('staff.reason'),
      cell: ({ row: { original } }) => (
        <>
          {word('freezeReason', original.reason)}
          <small>{original.note}</small>
        </>
      ),
    },
    {
      id: 'by',
      header: t('audit.staff'),
      cell: ({ row: { original } }) =>
        [original.by.name, original.approvedBy?.name].filter(Boolean).join(' · '),
    },
  ];
  return (
    <>
      <p className={`secondary ${css.lead}`}>{t('freeze.lead')}</p>
      <p className={css.acts}>
        {has(FREEZERS) && <Action onClick={() => setOpen('freeze')}>{t('freeze.start')}</Action>}
        {has(['verification']) && <Action onClick={() => setOpen('propose')}>{t('freeze.propose')}</Action>}
      </p>
      <DataTable
        caption={t('freeze.history')}
        columns={columns}
        rows={freezes.data ?? []}
        idOf={(row) => row.id}
        empty={useEmptyText(freezes, t('customer.none'))}
      />
      <h3>{t('staff.changes')}</h3>
      <RestrictionChanges customerId={id} />
      <Dialog
        title={t(open === 'propose' ? 'freeze.propose' : 'freeze.start')}
        isOpen={open !== null}
        onClose={() => setOpen(null)}
      >
        {open !== null && <FreezeForm id={id} isAlone={open === 'freeze'} onClose={() => setOpen(null)} />}
      </Dialog>
    </>
  );
}

/** Proposed and decided restrictions, of one customer or of all. */
export function RestrictionChanges({ customerId }: { customerId?: string }) {
  const { t, word, tag } = useText();
  const list = usePages<Change>(
    ['restrictions', customerId],
    (page, signal) => get('restriction/list', { customerId, ...page }, signal),
    LIVE_MS,
  );
  const columns: Column<Change>[] = [
    {
      id: 'customer',
      header: t('review.customer'),
      cell: ({ row: { original } }) => (
        <Link className="opens" href={`~/customers/${original.customerId}`}>
          {original.account}
        </Link>
      ),
    },
    {
      id: 'what',
      header: t('freeze.what'),
      cell: ({ row: { original } }) => (
        <>
          {word('frozen', original.what)}
          <small>{endText(original, t, tag)}</small>
        </>
      ),
    },
  ];
  return (
    <ProposalsTable
      list={list}
      columns={customerId === undefined ? columns : columns.slice(1)}
      action={(change) => <Decide change={change} />}
    />
  );
}

const endText = ({ until }: Change, t: ReturnType<typeof useText>['t'], tag: string) =>
  until === null ? t('freeze.lift') : t('freeze.keepUntil', { time: formatTime(until, tag) });

function Decide({ change }: { change: Change }) {
  const { t, word, tag } = useText();
  const me = useMe().data;
  const { id, account, what, reason, note } = change;
  return (
    <Decision
      proposal={change}
      subject={t('freeze.change', { id, account })}
      approve={t(change.until === null ? 'freeze.approveLift' : 'freeze.approve')}
      decide={(verdict) => post('restriction/decide', { id, verdict })}
      refresh={refresh}
      mayRefuse={me?.roles.some(({ role }) => role === 'approver' || role === 'verification') === true}
    >
      <Stated name={t('review.customer')} value={`${account} (${change.customerId})`} />
      <Stated name={t('freeze.what')} value={word('frozen', what)} />
      <Stated name={t('freeze.until')} value={endText(change, t, tag)} />
      <Stated name={t('staff.reason')} value={word('freezeReason', reason)} />
      <Stated name={t('freeze.note')} value={note} />
    </Decision>
  );
}

const HOURS = ['1', '6', '24', '48', '72'];
const DAYS = ['7', '14', '30', '90', '180', '365'];

/** One person closes something for hours; two keep it for days, or lift it. */
function FreezeForm({ id, isAlone, onClose }: { id: string; isAlone: boolean; onClose: () => void }) {
  const { t, word } = useText();
  const form = useForm({
    values: { what: 'login', reason: 'security', time: isAlone ? '24' : '30', note: '' },
  });
  const send = async () => {
    const { time, note } = form.values;
    const what = form.values.what as Freeze['what'];
    const reason = form.values.reason as Freeze['reason'];
    const fields = { customerId: id, what, reason, note };
    if (isAlone) await post('restriction/freeze', { ...fields, hours: Number(time) });
    else await post('restriction/propose', { ...fields, ...(time === '' ? {} : { days: Number(time) }) });
    await refresh();
    useToast.getState().show(t(isAlone ? 'freeze.done' : 'decision.proposed'));
    onClose();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <SelectField label={t('freeze.what')} {...form.field('what')}>
        {FROZEN_THINGS.map((one) => (
          <option key={one} value={one}>
            {word('frozen', one)}
          </option>
        ))}
      </SelectField>
      <SelectField label={t('freeze.for')} {...form.field('time')} required={isAlone}>
        {!isAlone && <option value="">{t('freeze.lift')}</option>}
        {(isAlone ? HOURS : DAYS).map((one) => (
          <option key={one} value={one}>
            {t(isAlone ? 'freeze.hours' : 'freeze.days', { count: Number(one) })}
          </option>
        ))}
      </SelectField>
      <SelectField label={t('freeze.reason')} {...form.field('reason')}>
        {FREEZE_REASONS.map((one) => (
          <option key={one} value={one}>
            {word('freezeReason', one)}
          </option>
        ))}
      </SelectField>
      <TextField label={t('freeze.note')} maxLength={500} {...form.field('note')} />
      <FormEnd form={form} onCancel={onClose}>
        {t(isAlone ? 'freeze.start' : 'staff.propose')}
      </FormEnd>
    </form>
  );
}
