import { Notice } from '@fairtick/ui';
import { faultText } from '../api/fault-text.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable, type List } from '../shell/data-table.tsx';
import { Action } from '../shell/form.tsx';
import { readable } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { ACCOUNTS, type AssetBalance, byAsset } from './balance-model.ts';
import { Findings, Verdict } from './parts.tsx';
import { useTrialBalance, useViolations } from './queries.ts';
import css from './treasury.module.css';

/** Balances of all accounts, added up by this browser, and the server's check of the whole ledger. */
export function TrialBalanceTab() {
  const { t } = useText();
  const balance = useTrialBalance();
  const rows = balance.data && byAsset(balance.data);
  const isZero = rows?.every((row) => row.isZero) ?? false;
  return (
    <>
      <p className="secondary measure">{t('balance.text')}</p>
      <BalanceTable list={{ ...balance, data: rows }} />
      {rows && (
        <p>
          <Verdict isRight={isZero}>
            {t(isZero ? 'balance.zero' : 'balance.notZero', {
              time: formatTime(balance.dataUpdatedAt),
            })}
          </Verdict>
        </p>
      )}
      <WholeLedger />
    </>
  );
}

/** The table of a trial balance; a run of the reconciliation uses it too. */
export function BalanceTable({ list }: { list: List<AssetBalance> }) {
  const { t, word } = useText();
  const columns: Column<AssetBalance>[] = [
    { header: t('review.asset'), cell: (row) => <strong>{row.asset}</strong> },
    ...ACCOUNTS.map(
      (account): Column<AssetBalance> => ({
        header: word('account', account),
        cell: (row) => {
          const amount = row.balances.get(account);
          return amount === undefined ? t('balance.noMovement') : readable(amount);
        },
        isNumber: true,
      }),
    ),
    {
      header: t('balance.sum'),
      cell: (row) => <Verdict isRight={row.isZero}>{readable(row.sum)}</Verdict>,
      isNumber: true,
    },
  ];
  return (
    <DataTable
      caption={t('ledgerTab.balance')}
      columns={columns}
      list={list}
      none={t('ledger.none')}
      idOf={({ asset }) => asset}
      isDense
    />
  );
}

function WholeLedger() {
  const text = useText();
  const { t } = text;
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
            time: formatTime(check.data.time),
          })}
        </Verdict>
      )}
      {found.length > 0 && <Findings caption={t('balance.whole')} list={found} />}
    </section>
  );
}
