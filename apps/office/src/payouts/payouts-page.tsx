import { useState } from 'react';
import { post } from '../api/client.ts';
import { type RowOf, useGet, useHas, usePages } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { shownStatus } from '../proposals/proposals-table.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, FormFault, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { BatchDialog } from './batch-dialog.tsx';
import { PAYOUTS, refreshPayouts } from './refresh.ts';

const LIVE = { refetchInterval: 5_000 };

type Batch = RowOf<'payout/list'>;
interface LeftOut {
  readonly id: string;
  readonly text: string;
}

/** Payouts on chains: two people agree to a batch, the key signs it on another machine, and what it signed is sent. */
export default function PayoutsPage() {
  const { t, word } = useText();
  const has = useHas();
  const [openId, setOpenId] = useState<string | null>(null);
  const mayOpen = has('cashier', 'approver');
  const columns: Column<Batch>[] = [
    { header: t('ledger.number'), cell: ({ id }) => id, isNumber: true },
    { header: t('audit.time'), cell: ({ proposedAt }) => formatTime(proposedAt) },
    { header: t('staff.proposedBy'), cell: ({ proposedBy }) => proposedBy.name },
    { header: t('channel.network'), cell: ({ network }) => network },
    {
      header: t('payouts.payments'),
      cell: ({ count, cancels, replaces }) => (
        <>
          {count}
          {replaces !== null && (
            <small>{t(cancels ? 'payouts.cancelsBatch' : 'payouts.replacesBatch', { id: replaces })}</small>
          )}
        </>
      ),
      isNumber: true,
    },
    {
      header: t('staff.state'),
      cell: (batch) => (
        <>
          {batch.replacedBy !== null
            ? t('payouts.replacedBy', { id: batch.replacedBy })
            : word('change', shownStatus(batch.status, batch))}
          {Object.entries(batch.states).map(([state, count]) => (
            <small key={state}>{`${word('payoutState', state)}: ${count}`}</small>
          ))}
        </>
      ),
    },
  ];
  return (
    <div className="page">
      <div className="head">
        <h1>{t('page.payouts')}</h1>
      </div>
      <p className="secondary measure">{t('payouts.text')}</p>
      <Chains onMade={setOpenId} />
      <DataTable
        caption={t('payouts.batches')}
        columns={columns}
        list={usePages([PAYOUTS], 'payout/list', {}, LIVE)}
        none={t('payouts.none')}
        {...(mayOpen && { onOpen: ({ id }: Batch) => setOpenId(id) })}
      />
      {openId !== null && <BatchDialog key={openId} id={openId} onOpen={setOpenId} />}
    </div>
  );
}

/** Counts the withdrawals that wait on each chain, and has the button that makes a batch of them. */
function Chains({ onMade }: { onMade: (id: string) => void }) {
  const { t } = useText();
  const has = useHas();
  const form = useForm();
  const [leftOut, setLeftOut] = useState<readonly LeftOut[]>([]);
  const { data: chains = [] } = useGet([PAYOUTS], 'payout/chains', {}, LIVE);
  const prepare = (chain: string) =>
    form.send(async () => {
      const made = await post('payout/prepare', { chain });
      setLeftOut(made.leftOut);
      await refreshPayouts();
      if (made.id !== null && made.leftOut.length === 0) onMade(made.id);
    });
  return (
    <>
      {chains.length === 0 && <p className="caption">{t('payouts.noChains')}</p>}
      {chains.map(({ chain, network, address, waiting, isReady }) => (
        <div key={chain} className="row gap-12 wrap">
          <span className="breaks">
            {t('payouts.waiting', { network, count: waiting })} <code>{address}</code>
          </span>
          {has('cashier') && (
            <Action disabled={form.isBusy || waiting === 0 || !isReady} onClick={() => void prepare(chain)}>
              {t('payouts.prepare')}
            </Action>
          )}
        </div>
      ))}
      <FormFault text={form.fault} />
      {leftOut.length > 0 && (
        <div role="status">
          <p>{t('payouts.leftOut')}</p>
          <ul>
            {leftOut.map(({ id, text }) => (
              <li key={id}>{`${t('subject.withdrawal')} ${id}: ${text}`}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
