import { Segments } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { useSession } from '../state/session.ts';

export function AssetSegments(props: { name: string; value: string; onChange: (asset: string) => void }) {
  const { t } = useText();
  const balances = useSession((state) => state.userInfo?.balances) ?? [];
  return (
    <Segments
      label={t('limits.asset')}
      name={props.name}
      value={props.value}
      choices={balances.map(({ asset }) => ({ value: asset, label: asset }))}
      onChange={props.onChange}
    />
  );
}
