import { Tabs } from '@fairtick/ui';
import { useLocation, useSearchParams } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { CapitalTab } from './capital-tab.tsx';
import { CausePage } from './cause-page.tsx';
import { LiabilitiesTab } from './liabilities-tab.tsx';
import { ReconciliationTab } from './reconciliation-tab.tsx';
import { TransfersTab } from './transfers-tab.tsx';
import css from './treasury.module.css';
import { TrialBalanceTab } from './trial-balance-tab.tsx';

const TABS = ['transfers', 'balance', 'reconciliation', 'liabilities', 'capital'] as const;

/** The ledger: transfers and their causes, balances of all accounts, and discrepancies found. The address names the open tab. */
export default function LedgerPage() {
  const { t, word } = useText();
  const [location, navigate] = useLocation();
  const [search] = useSearchParams();
  if (location === '/cause') return <CausePage of={search.get('of') ?? ''} />;
  const tab = TABS.find((name) => location === `/${name}`) ?? 'transfers';
  return (
    <div className={`page ${css.page}`}>
      <h1>{t('page.ledger')}</h1>
      <Tabs
        id="ledger"
        label={t('page.ledger')}
        value={tab}
        onChange={(next) => navigate(next === 'transfers' ? '/' : `/${next}`)}
        tabs={TABS.map((value) => ({ value, label: word('ledgerTab', value) }))}
      />
      <div role="tabpanel" aria-labelledby={`ledger-${tab}`} className="panel">
        {tab === 'transfers' && <TransfersTab />}
        {tab === 'balance' && <TrialBalanceTab />}
        {tab === 'reconciliation' && <ReconciliationTab />}
        {tab === 'liabilities' && <LiabilitiesTab />}
        {tab === 'capital' && <CapitalTab />}
      </div>
    </div>
  );
}
