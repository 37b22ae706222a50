import { DownIcon } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import { useSession } from '../../state/session.ts';
import { useSettings } from '../../state/settings.ts';
import css from './market.module.css';

const ALL = ['DEMO', 'USDT', 'USD', 'BTC', 'ETH'];

export function AssetSwitch({ asset, isDisabled = false }: { asset: string; isDisabled?: boolean }) {
  const { t } = useText();
  const choose = useSettings((state) => state.choose);
  const owned = useSession((state) => state.userInfo?.balances);
  const assets = owned?.map((balance) => balance.asset) ?? ALL;
  return (
    <label className={`inline-row gap-2 ink-3 ${css.assetSwitch}`}>
      <span className="sr">{t('trade.assetType')}</span>
      <select value={asset} disabled={isDisabled} onChange={(event) => choose('asset', event.target.value)}>
        {assets.map((code) => (
          <option key={code} value={code}>
            {code}
          </option>
        ))}
      </select>
      <DownIcon size={16} />
    </label>
  );
}
