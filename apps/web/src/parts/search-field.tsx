import { SearchIcon } from '@fairtick/ui';
import type { ComponentProps, ReactNode } from 'react';
import css from './search.module.css';

/** A field to search by; its label is the placeholder, too. */
export function SearchField(
  props: Omit<ComponentProps<'input'>, 'onChange'> & {
    readonly label: string;
    readonly onQuery: (query: string) => void;
    /** Whether the field stands on a page, and not in a dialog. */
    readonly isOnPage?: boolean;
    readonly children?: ReactNode;
  },
) {
  const { label, onQuery, isOnPage = false, children, ...input } = props;
  return (
    <label className={`row gap-10 ink-3 touch ${css.search}`} data-page={isOnPage || undefined}>
      <SearchIcon size={20} />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={40}
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        onChange={(event) => onQuery(event.target.value)}
        {...input}
      />
      {children}
    </label>
  );
}
