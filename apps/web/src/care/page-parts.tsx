import { Segments, Skeleton } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { useSession } from '../state/session.ts';
import css from './care.module.css';

/** What the screens about one's own doings share. */
export function Waiting({ heights }: { heights: readonly number[] }) {
  return (
    <div className={css.waiting} aria-busy="true">
      {heights.map((height, at) => (
        <Skeleton key={at} width="100%" height={height} />
      ))}
    </div>
  );
}

/** One of the customer's assets. */
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
