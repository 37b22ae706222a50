import { DownIcon } from '@fairtick/ui';
import type { ReactNode } from 'react';
import { useText } from '../messages/text-context.tsx';
import { useSession } from '../state/session.ts';
import css from './lists.module.css';

export const FilterRow = ({ children }: { children: ReactNode }) => (
  <div className={`flex gap-8 scroll-x ${css.filters}`}>{children}</div>
);

export function FilterChip<T extends string>(props: {
  label: string;
  value: T;
  options: readonly { readonly value: T; readonly label: string }[];
  onChange: (value: T) => void;
}) {
  const chosen = props.options.find(({ value }) => value === props.value);
  const isChosen = props.value !== props.options[0]?.value;
  return (
    <label
      className={`inline-row rigid gap-4 text-13 nowrap ${css.chip}`}
      data-chosen={isChosen || undefined}
    >
      <span aria-hidden="true">{chosen?.label}</span>
      <DownIcon size={16} />
      <select
        className="cover"
        aria-label={props.label}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value as T)}
      >
        {props.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}

export function AssetFilter({ value, onChange }: { value: string; onChange: (asset: string) => void }) {
  const { t } = useText();
  const balances = useSession((state) => state.userInfo?.balances) ?? [];
  const options = [
    { value: 'all', label: t('list.allAssets') },
    ...balances.map(({ asset }) => ({ value: asset, label: asset })),
  ];
  return <FilterChip label={t('list.asset')} {...{ value, options, onChange }} />;
}
