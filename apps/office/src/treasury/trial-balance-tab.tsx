import { Notice } from '@fairtick/ui';
import { useMemo } from 'react';
import { faultText } from '../api/fault-text.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable, useEmptyText } from '../shell/data-table.tsx';
import { Action } from '../shell/form.tsx';
import { readable } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { ACCOUNTS, type AssetBalance, type Balance, byAsset } from './balance-model.ts';
import { Findings, Verdict } from './parts.tsx';
import { useTrialBalance, useViolations } from './queries.ts';
import css from './treasury.module.css';

const NONE: readonly Balance[] = [];

/** Balances of all accounts, added up by this browser, and the server's check of the whole ledger. */
export function TrialBalanceTab() {
  const { t, tag } = useText();
  const balance = useTrialBalance();
  const rows = useMemo(() => byAsset(balance.data ?? NONE), [balance.data]);
  return (
    <>
      <p className="secondary measure">{t('balance.text')}</p>
      <BalanceTable rows={rows} empty={useEmptyText(balance, t('ledger.none'))} />
      {balance.data && (
        <p>
          <Verdict isRight={rows.every(({ isZero }) => isZero)}>
            {t(rows.every(({ isZero }) => isZero) ? 'balance.zero' : 'balance.notZero', {
              time: formatTime(balance.dataUpdatedAt, tag),
            })}
          </Verdict>
        </p>
      )}
      <WholeLedger />
    </>
  );
}

/** The table of a trial balance; a run of the reconciliation uses it too. */
export function BalanceTable({ rows, empty }: { rows: readonly AssetBalance[]; empty: string }) {
  const { t, word } = useText();
  const columns: Column<AssetBalance>[] = [
    { id: 'asset', header: t('review.asset'), cell: ({ row }) => <strong>{row.original.asset}</strong> },
    ...ACCOUNTS.map(
      (account): Column<AssetBalance> => ({
        id: account,
        header: word('account', account),
        cell: ({ row: { original } }) => {
          const amount = original.balances.get(account);
          return amount === undefined ? t('balance.noMovement') : readable(amount);
        },
        meta: { isNumber: true },
      }),
    ),
    {
      id: 'sum',
      header: t('balance.sum'),
      cell: ({ row: { original } }) => <Verdict isRight={original.isZero}>{readable(original.sum)}</Verdict>,
      meta: { isNumber: true },
    },
  ];
  return (
    <DataTable
      caption={t('ledgerTab.balance')}
      columns={columns}
      rows={rows}
      idOf={({ asset }) => asset}
      isDense
      empty={empty}
    />
  );
}

function WholeLedger() {
  const text = useText();
  const { t, tag } = text;
  const check = useViolations();
  const found = check.data?.violations ?? [];
  return (
    <section className={`box stack gap-10 p-16 ${css.check}`} aria-labelledby="whole-ledger">
      <div className="head">
        <h2 id="whole-ledger">{t('balance.whole')}</h2>
        <Action disabled={check.isFetching} onClick={() => void check.refetch()}>
          {t('chain.again')}
        </Action>
      </div>
      <p className="secondary measure">{t('balance.wholeText')}</p>
      {check.isFetching && !check.data && <p className="note">{t('shell.loading')}</p>}
      {check.isError && <Notice look="bad">{faultText(check.error, text) ?? ''}</Notice>}
      {check.data && !check.isError && (
        <Verdict isRight={found.length === 0}>
          {t(found.length === 0 ? 'balance.holds' : 'balance.violated', {
            count: found.length,
            time: formatTime(check.data.time, tag),
          })}
        </Verdict>
      )}
      {found.length > 0 && <Findings caption={t('balance.whole')} list={found} />}
    </section>
  );
}
