import { amountTyped } from '@fairtick/money';
import type { OfficeData } from '@fairtick/protocol/office';
import { FREEZE_REASONS, FROZEN_THINGS } from '@fairtick/protocol/office/customer-lists';
import { Tag } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { get, post } from '../api/client.ts';
import { queryClient, useMe, usePages } from '../api/queries.ts';
import type { MessageId, Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { Decision, Stated } from '../proposals/decision.tsx';
import { ProposalsTable } from '../proposals/proposals-table.tsx';
import { ONE_VIEW } from '../reviews/queries.ts';
import { type Column, DataTable, useEmptyText } from '../shell/data-table.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, FormEnd, formClass, SelectField, TextField, useForm } from '../shell/form.tsx';
import { AmountField } from '../shell/number-fields.tsx';
import { withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';

type Freeze = OfficeData<'restriction/freezes'>[number];
type Hold = OfficeData<'restriction/holds'>[number];
type Change = OfficeData<'restriction/list'>['items'][number];

const NO_FREEZES: readonly Freeze[] = [];
const NO_HOLDS: readonly Hold[] = [];
const LIVE_MS = 5_000;
const TITLES = { freeze: 'freeze.start', propose: 'freeze.propose', hold: 'freeze.hold' } as const;
const FREEZERS = ['support', 'verification', 'cashier', 'approver'];

const refresh = async () => {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['restrictions'] }),
    queryClient.invalidateQueries({ queryKey: ['look', 'customer'] }),
  ]);
};

/** Shows a customer's freezes, with the forms that begin, keep and lift them. */
export function Restrictions({ id, assets }: { id: string; assets: readonly string[] }) {
  const { t, word, tag } = useText();
  const me = useMe().data;
  const [open, setOpen] = useState<keyof typeof TITLES | null>(null);
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
      <p className="secondary measure mb-14">{t('freeze.lead')}</p>
      <p className="flex items-end wrap gap-8 mb-12">
        {has(FREEZERS) && <Action onClick={() => setOpen('freeze')}>{t('freeze.start')}</Action>}
        {has(['verification']) && <Action onClick={() => setOpen('propose')}>{t('freeze.propose')}</Action>}
        {has(['cashier']) && <Action onClick={() => setOpen('hold')}>{t('freeze.hold')}</Action>}
      </p>
      <DataTable
        caption={t('freeze.history')}
        columns={columns}
        rows={freezes.data ?? NO_FREEZES}
        idOf={(row) => row.id}
        empty={useEmptyText(freezes, t('customer.none'))}
      />
      <Holds id={id} mayLift={has(['cashier'])} />
      <h3>{t('staff.changes')}</h3>
      <RestrictionChanges customerId={id} />
      <Dialog title={t(TITLES[open ?? 'freeze'])} isOpen={open !== null} onClose={() => setOpen(null)}>
        {open === 'hold' && <HoldForm id={id} assets={assets} onClose={() => setOpen(null)} />}
        {(open === 'freeze' || open === 'propose') && (
          <FreezeForm id={id} isAlone={open === 'freeze'} onClose={() => setOpen(null)} />
        )}
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
          {aboutText(original, word)}
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

/** The frozen thing, or the held sum. */
const aboutText = ({ what, hold }: Change, word: Text['word']): string =>
  hold ? withAsset(hold.amount, hold.asset) : word('frozen', what ?? '');

function endText({ isLift, until, hold }: Change, t: Text['t'], tag: string): string {
  if (isLift) return t('freeze.lift');
  return until === null ? (hold?.authority ?? '') : t('freeze.keepUntil', { time: formatTime(until, tag) });
}

function Decide({ change }: { change: Change }) {
  const { t, word, tag } = useText();
  const me = useMe().data;
  const { id, account, hold, reason } = change;
  const proposers = hold ? 'cashier' : 'verification';
  const approve = change.isLift ? 'freeze.approveLift' : hold ? 'freeze.approveHold' : 'freeze.approve';
  return (
    <Decision
      proposal={change}
      subject={t('freeze.change', { id, account })}
      approve={t(approve)}
      decide={(verdict) => post('restriction/decide', { id, verdict })}
      refresh={refresh}
      mayRefuse={me?.roles.some(({ role }) => role === 'approver' || role === proposers) === true}
    >
      <Stated name={t('review.customer')} value={`${account} (${change.customerId})`} />
      <Stated name={t('freeze.what')} value={aboutText(change, word)} />
      {hold ? (
        <>
          {change.isLift && <Stated name={t('freeze.until')} value={t('freeze.lift')} />}
          <Stated name={t('freeze.authority')} value={hold.authority} />
          <Stated name={t('freeze.reference')} value={hold.reference} />
        </>
      ) : (
        <>
          <Stated name={t('freeze.until')} value={endText(change, t, tag)} />
          <Stated name={t('staff.reason')} value={word('freezeReason', reason ?? '')} />
        </>
      )}
      <Stated name={t('freeze.note')} value={change.note} />
    </Decision>
  );
}

/** Sums of the customer that authorities have ordered to hold. */
function Holds({ id, mayLift }: { id: string; mayLift: boolean }) {
  const { t, tag } = useText();
  const [lifting, setLifting] = useState<Hold | null>(null);
  const holds = useQuery({
    queryKey: ['look', 'customer', id, 'holds'],
    queryFn: () => get('restriction/holds', { customerId: id }),
    ...ONE_VIEW,
  });
  const empty = useEmptyText(holds, t('customer.none'));
  const close = () => setLifting(null);
  const columns: Column<Hold>[] = [
    { id: 'time', header: t('freeze.at'), cell: ({ row }) => formatTime(row.original.at, tag) },
    {
      id: 'amount',
      header: t('review.amount'),
      cell: ({ row }) => withAsset(row.original.amount, row.original.asset),
      meta: { isNumber: true },
    },
    {
      id: 'authority',
      header: t('freeze.authority'),
      cell: ({ row: { original } }) => (
        <>
          {original.authority}
          <small>{original.reference}</small>
        </>
      ),
    },
    {
      id: 'state',
      header: t('staff.state'),
      cell: ({ row: { original } }) => {
        if (original.liftedAt !== null)
          return `${t('freeze.lifted')} · ${formatTime(original.liftedAt, tag)}`;
        if (!mayLift) return t('freeze.running');
        return (
          <Action size="small" onClick={() => setLifting(original)}>
            {t('freeze.liftHold')}
          </Action>
        );
      },
    },
  ];
  return (
    <>
      <h3>{t('freeze.holds')}</h3>
      <DataTable
        caption={t('freeze.holds')}
        columns={columns}
        rows={holds.data ?? NO_HOLDS}
        idOf={(row) => row.id}
        empty={empty}
      />
      <Dialog title={t('freeze.liftHold')} isOpen={lifting !== null} onClose={close}>
        {lifting !== null && <LiftForm hold={lifting} onClose={close} />}
      </Dialog>
    </>
  );
}

function useSent(onClose: () => void) {
  const { t } = useText();
  return async (text: MessageId = 'decision.proposed') => {
    await refresh();
    useToast.getState().show(t(text));
    onClose();
  };
}

function LiftForm({ hold, onClose }: { hold: Hold; onClose: () => void }) {
  const { t } = useText();
  const sent = useSent(onClose);
  const form = useForm({ values: { note: '' } });
  const send = async () => {
    await post('restriction/liftHold', { id: hold.id, note: form.values.note });
    await sent();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <p className="secondary">{`${withAsset(hold.amount, hold.asset)} · ${hold.authority} · ${hold.reference}`}</p>
      <TextField label={t('freeze.note')} maxLength={500} {...form.field('note')} />
      <FormEnd form={form} onCancel={onClose}>
        {t('staff.propose')}
      </FormEnd>
    </form>
  );
}

function HoldForm(props: { id: string; assets: readonly string[]; onClose: () => void }) {
  const { t } = useText();
  const sent = useSent(props.onClose);
  const form = useForm({
    draft: `hold ${props.id}`,
    values: { asset: '', amount: '', authority: '', reference: '', note: '' },
  });
  const send = async () => {
    const amount = amountTyped(form.values.amount) ?? '';
    await post('restriction/hold', { ...form.values, amount, customerId: props.id });
    await sent();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <SelectField label={t('review.asset')} {...form.field('asset')}>
        <option value="">{t('staff.choose')}</option>
        {props.assets.map((asset) => (
          <option key={asset}>{asset}</option>
        ))}
      </SelectField>
      <AmountField label={t('review.amount')} {...form.field('amount')} />
      <TextField label={t('freeze.authority')} maxLength={200} {...form.field('authority')} />
      <TextField label={t('freeze.reference')} maxLength={60} {...form.field('reference')} />
      <TextField label={t('freeze.note')} maxLength={500} {...form.field('note')} />
      <FormEnd form={form} onCancel={props.onClose}>
        {t('staff.propose')}
      </FormEnd>
    </form>
  );
}

const HOURS = ['1', '6', '24', '48', '72'];
const DAYS = ['7', '14', '30', '90', '180', '365'];

/** The form of a freeze: by one person for hours, or by two for days or to lift it. */
function FreezeForm({ id, isAlone, onClose }: { id: string; isAlone: boolean; onClose: () => void }) {
  const { t, word } = useText();
  const sent = useSent(onClose);
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
    await sent(isAlone ? 'freeze.done' : undefined);
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
