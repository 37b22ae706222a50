import { useText } from '../messages/text-context.tsx';
import { AddressTabs } from '../shell/address-tabs.tsx';
import { ChannelsTab } from './channels-tab.tsx';
import { LimitsTab } from './limits-tab.tsx';
import { OnChainTab } from './on-chain-tab.tsx';
import css from './treasury.module.css';

/** Deposit channels, and the limits of deposits and withdrawals. */
export default function ChannelsPage() {
  const { t } = useText();
  return (
    <div className={`page ${css.page}`}>
      <h1>{t('page.channels')}</h1>
      <AddressTabs
        id="channels"
        label={t('page.channels')}
        tabs={{
          channels: { label: t('channelTab.channels'), part: <ChannelsTab /> },
          onChain: { label: t('channelTab.onChain'), part: <OnChainTab /> },
          limits: { label: t('channelTab.limits'), part: <LimitsTab /> },
        }}
      />
    </div>
  );
}
