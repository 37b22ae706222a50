import { useEffect, useRef, useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, FormFault, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { byAsset } from './balance-model.ts';
import { Findings, Verdict } from './parts.tsx';
import { type Reconciliation, refreshTreasury, useReconciliations } from './queries.ts';
import css from './treasury.module.css';
import { BalanceTable } from './trial-balance-tab.tsx';

/** The results of each comparison of ledger, requests and statements. A record never changes. */
export function ReconciliationTab() {
  const { t } = useText();
  const list = useReconciliations();
  const form = useForm();
  const [openId, setOpenId] = useState<string | null>(null);
  const open = list.rows.find(({ id }) => id === openId) ?? null;
  const run = async () => {
    const made = await post('reconciliation/run');
    await refreshTreasury();
    setOpenId(made.id);
  };
  const columns: Column<Reconciliation>[] = [
    { header: t('ledger.number'), cell: (row) => row.id },
    { header: t('audit.time'), cell: (row) => formatTime(row.time) },
    { header: t('reconciliation.by'), cell: (row) => row.by?.name ?? t('reconciliation.house') },
    { header: t('reconciliation.found'), cell: (row) => <Found run={row} /> },
  ];
  return (
    <>
      <div className="head">
        <p className="secondary measure">{t('reconciliation.text')}</p>
        <Action disabled={form.isBusy} onClick={() => void form.send(run)}>
          {t('reconciliation.run')}
        </Action>
      </div>
      <FormFault text={form.fault} />
      <DataTable
        caption={t('ledgerTab.reconciliation')}
        columns={columns}
        list={list}
        none={t('reconciliation.none')}
        onOpen={({ id }) => setOpenId(id)}
        openId={openId}
      />
      {open && <Record key={open.id} run={open} />}
    </>
  );
}

function Found({ run }: { run: Reconciliation }) {
  const { t } = useText();
  const count = run.findings.length;
  return (
    <Verdict isRight={count === 0}>
      {count === 0 ? t('reconciliation.nothing') : t('reconciliation.differences', { count })}
    </Verdict>
  );
}

/** Shows a recorded run and scrolls to it: the differences, and the balance of every account. A run has its own `key`. */
function Record({ run }: { run: Reconciliation }) {
  const { t } = useText();
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <section ref={section} className={`box stack gap-10 p-16 ${css.check}`} aria-labelledby="record">
      <h2 id="record">
        {t('reconciliation.record', { id: run.id })} · {formatTime(run.time)}
      </h2>
      <Found run={run} />
      {run.findings.length > 0 && <Findings caption={t('reconciliation.found')} list={run.findings} />}
      <BalanceTable list={byAsset(run.balances)} />
    </section>
  );
}
