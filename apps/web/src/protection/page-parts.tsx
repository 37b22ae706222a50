import { Segments, Skeleton } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { useSession } from '../state/session.ts';
import css from './protection.module.css';

/** Placeholder of a page that loads, one block for each height. */
export function Waiting({ heights }: { heights: readonly number[] }) {
  return (
    <div className={css.waiting} aria-busy="true">
      {heights.map((height, at) => (
        <Skeleton key={at} width="100%" height={height} />
      ))}
    </div>
  );
}

/** A choice between the customer's assets. */
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
