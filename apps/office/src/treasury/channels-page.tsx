import { Tabs } from '@fairtick/ui';
import { useLocation } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { ChannelsTab } from './channels-tab.tsx';
import { LimitsTab } from './limits-tab.tsx';
import css from './treasury.module.css';

const TABS = ['channels', 'limits'] as const;

/** Deposit channels, and the limits of deposits and withdrawals. */
export default function ChannelsPage() {
  const { t, word } = useText();
  const [location, navigate] = useLocation();
  const tab = location === '/limits' ? 'limits' : 'channels';
  return (
    <div className={`page ${css.page}`}>
      <h1>{t('page.channels')}</h1>
      <Tabs
        id="channels"
        label={t('page.channels')}
        value={tab}
        onChange={(next) => navigate(next === 'limits' ? '/limits' : '/')}
        tabs={TABS.map((value) => ({ value, label: word('channelTab', value) }))}
      />
      <div role="tabpanel" aria-labelledby={`channels-${tab}`} className="panel">
        {tab === 'channels' ? <ChannelsTab /> : <LimitsTab />}
      </div>
    </div>
  );
}
