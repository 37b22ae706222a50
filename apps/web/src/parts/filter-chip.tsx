import { DownIcon } from '@fairtick/ui';
import type { ReactNode } from 'react';
import css from './lists.module.css';

/** The filters of a list, side by side; scrolls sideways on a narrow screen. */
export const FilterRow = ({ children }: { children: ReactNode }) => (
  <div className={`flex gap-8 scroll-x ${css.filters}`}>{children}</div>
);

/** One filter as a chip: shows the choice over the platform's native select. */
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
