import { useLocation, useSearchParams } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { AddressTabs } from '../shell/address-tabs.tsx';
import { CapitalTab } from './capital-tab.tsx';
import { CausePage } from './cause-page.tsx';
import { LiabilitiesTab } from './liabilities-tab.tsx';
import { ReconciliationTab } from './reconciliation-tab.tsx';
import { TransfersTab } from './transfers-tab.tsx';
import css from './treasury.module.css';
import { TrialBalanceTab } from './trial-balance-tab.tsx';

/** The ledger: transfers and their causes, balances of all accounts, and discrepancies found. */
export default function LedgerPage() {
  const { t } = useText();
  const [location] = useLocation();
  const [search] = useSearchParams();
  if (location === '/cause') return <CausePage of={search.get('of') ?? ''} />;
  return (
    <div className={`page ${css.page}`}>
      <h1>{t('page.ledger')}</h1>
      <AddressTabs
        id="ledger"
        label={t('page.ledger')}
        tabs={{
          transfers: { label: t('ledgerTab.transfers'), part: <TransfersTab /> },
          balance: { label: t('ledgerTab.balance'), part: <TrialBalanceTab /> },
          reconciliation: { label: t('ledgerTab.reconciliation'), part: <ReconciliationTab /> },
          liabilities: { label: t('ledgerTab.liabilities'), part: <LiabilitiesTab /> },
          capital: { label: t('ledgerTab.capital'), part: <CapitalTab /> },
        }}
      />
    </div>
  );
}
