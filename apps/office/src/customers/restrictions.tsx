import type { OfficeData } from '@fairtick/protocol/office';
import { Tag } from '@fairtick/ui';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { ONE_VIEW, type RowOf, useGet, useHas, usePages } from '../api/queries.ts';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { type Field, Proposals } from '../proposals/proposals.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { FreezeForm, HoldForm, LiftForm, refreshRestrictions } from './restriction-forms.tsx';

type Change = RowOf<'restriction/list'>;
type Hold = OfficeData<'restriction/holds'>[number];

/** Shows a customer's freezes, with the forms that begin, keep and lift them. */
export function Restrictions({ id, assets }: { id: string; assets: readonly string[] }) {
  const { t, word } = useText();
  const has = useHas();
  const freezes = useGet(['look', 'customer', id], 'restriction/freezes', { customerId: id }, ONE_VIEW);
  const columns: Column<OfficeData<'restriction/freezes'>[number]>[] = [
    { header: t('audit.time'), cell: ({ at }) => formatTime(at) },
    { header: t('freeze.what'), cell: ({ what }) => word('frozen', what) },
    {
      header: t('freeze.until'),
      cell: ({ until, at }) => (until === at ? t('freeze.lifted') : formatTime(until)),
    },
    {
      header: t('staff.state'),
      cell: ({ isRunning }) => isRunning && <Tag look="bad">{t('freeze.running')}</Tag>,
    },
    {
      header: t('staff.reason'),
      cell: ({ reason, note }) => (
        <>
          {word('freezeReason', reason)}
          <small>{note}</small>
        </>
      ),
    },
    {
      header: t('audit.staff'),
      cell: ({ by, approvedBy }) => [by.name, approvedBy?.name].filter(Boolean).join(' · '),
    },
  ];
  return (
    <>
      <p className="secondary prose mb-14">{t('freeze.lead')}</p>
      <div className="flex items-end wrap gap-8 mb-12">
        {has('support', 'verification', 'cashier', 'approver') && <FreezeForm id={id} isAlone />}
        {has('verification') && (
          <FreezeForm id={id} isAlone={false} running={freezes.data?.find((one) => one.isRunning)?.what} />
        )}
        {has('cashier') && <HoldForm id={id} assets={assets} />}
      </div>
      <h3>{t('freeze.history')}</h3>
      <DataTable caption={t('freeze.history')} columns={columns} list={freezes} none={t('customer.none')} />
      <Holds id={id} />
      <h3>{t('staff.changes')}</h3>
      <RestrictionChanges customerId={id} />
    </>
  );
}

/** Proposed and decided restrictions, of one customer or of all. */
export function RestrictionChanges({ customerId }: { customerId?: string }) {
  const text = useText();
  const { t, word } = text;
  const has = useHas();
  const fields: Field<Change>[] = [
    {
      label: t('review.customer'),
      show: (change) => `${change.account} (${change.customerId})`,
      column:
        customerId === undefined &&
        (({ account, customerId: id }) => (
          <Link className="opens" href={`~/customers/${id}`}>
            {account}
          </Link>
        )),
    },
    {
      label: t('freeze.what'),
      show: (change) => aboutText(change, word),
      column: (change) => (
        <>
          {aboutText(change, word)}
          <small>{endText(change, text)}</small>
        </>
      ),
    },
    {
      label: t('freeze.until'),
      show: (change) => (!change.hold || change.isLift) && endText(change, text),
      column: false,
    },
    { label: t('freeze.authority'), show: ({ hold }) => hold?.authority, column: false },
    { label: t('freeze.reference'), show: ({ hold }) => hold?.reference, column: false },
    {
      label: t('staff.reason'),
      show: ({ reason }) => reason && word('freezeReason', reason),
      column: false,
    },
    { label: t('freeze.note'), show: ({ note }) => note, column: false },
  ];
  return (
    <Proposals
      list={usePages(['restrictions'], 'restriction/list', { customerId }, { refetchInterval: 5_000 })}
      fields={fields}
      decision={({ id, account, hold, isLift }) => ({
        subject: t('freeze.change', { id, account }),
        approve: t(isLift ? 'freeze.approveLift' : hold ? 'freeze.approveHold' : 'freeze.approve'),
        decide: (verdict) => post('restriction/decide', { id, verdict }),
        refresh: refreshRestrictions,
        mayRefuse: has('approver', hold ? 'cashier' : 'verification'),
      })}
    />
  );
}

/** The frozen thing, or the held sum. */
const aboutText = ({ what, hold }: Change, word: Text['word']): string =>
  hold ? withAsset(hold.amount, hold.asset) : word('frozen', what ?? '');

function endText({ isLift, until, hold }: Change, { t }: Text): string {
  if (isLift) return t('freeze.lift');
  return until === null ? (hold?.authority ?? '') : t('freeze.keepUntil', { time: formatTime(until) });
}

/** Sums of the customer that authorities have ordered to hold. */
function Holds({ id }: { id: string }) {
  const { t } = useText();
  const has = useHas();
  const columns: Column<Hold>[] = [
    { header: t('freeze.at'), cell: ({ at }) => formatTime(at) },
    { header: t('review.amount'), cell: ({ amount, asset }) => withAsset(amount, asset), isNumber: true },
    {
      header: t('freeze.authority'),
      cell: ({ authority, reference }) => (
        <>
          {authority}
          <small>{reference}</small>
        </>
      ),
    },
    {
      header: t('staff.state'),
      cell: (hold) => {
        if (hold.liftedAt !== null) return `${t('freeze.lifted')} · ${formatTime(hold.liftedAt)}`;
        return has('cashier') ? <LiftForm hold={hold} /> : t('freeze.running');
      },
    },
  ];
  return (
    <>
      <h3>{t('freeze.holds')}</h3>
      <DataTable
        caption={t('freeze.holds')}
        columns={columns}
        list={useGet(['look', 'customer', id], 'restriction/holds', { customerId: id }, ONE_VIEW)}
        none={t('customer.none')}
      />
    </>
  );
}
