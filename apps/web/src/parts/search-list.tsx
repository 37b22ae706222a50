import { CheckIcon } from '@fairtick/ui';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { SearchField } from './search-field.tsx';
import css from './search-list.module.css';

export interface Choice<Id> {
  readonly id: Id;
  readonly name: string;
  readonly note?: string;
}

interface SearchListProps<Id> {
  readonly label: string;
  readonly searchLabel: string;
  readonly find: (query: string) => readonly Choice<Id>[];
  readonly current: Id;
  readonly onChoose: (id: Id) => void;
  readonly foundText: (count: number) => string;
  readonly noneText: string;
}

function useSearchList<Id>({ find, current, onChoose }: SearchListProps<Id>) {
  const [query, setQuery] = useState('');
  const choices = find(query);
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      choices.findIndex(({ id }) => id === current),
    ),
  );
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = choices[active];
    if (event.key === 'Enter') {
      // The list may stand in a form, which Enter would send.
      event.preventDefault();
      if (chosen) onChoose(chosen.id);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setActive(Math.min(Math.max(active + step, 0), choices.length - 1));
  };
  const onQuery = (typed: string) => {
    setQuery(typed);
    setActive(0);
  };
  return { query, onQuery, choices, active, list, onKeyDown };
}

/** A field that searches the list below it. Arrows move in the list, Enter chooses; the focus stays in the field. */
export function SearchList<Id extends string | null>(props: SearchListProps<Id>) {
  const { current, searchLabel } = props;
  const { query, onQuery, choices, active, list, onKeyDown } = useSearchList(props);
  const id = useId();
  return (
    <>
      <SearchField
        label={searchLabel}
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={choices[active] ? `${id}-${active}` : undefined}
        value={query}
        onQuery={onQuery}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={id} className={css.choices} role="listbox" aria-label={props.label}>
        {choices.map((choice, at) => (
          // The field has the keyboard.
          // biome-ignore lint/a11y/useKeyWithClickEvents: as above
          <div
            key={choice.id}
            id={`${id}-${at}`}
            role="option"
            className={`row full gap-12 px-12 text-left ${css.choice}`}
            tabIndex={-1}
            aria-selected={choice.id === current}
            data-active={at === active || undefined}
            onClick={() => props.onChoose(choice.id)}
          >
            <span>{choice.name}</span>
            {choice.note !== undefined && (
              <span className="secondary" translate="no">
                {choice.note}
              </span>
            )}
            {choice.id === current && <CheckIcon size={18} />}
          </div>
        ))}
      </div>
      <p className="sr" role="status">
        {props.foundText(choices.length)}
      </p>
      {choices.length === 0 && <p className={`secondary ${css.none}`}>{props.noneText}</p>}
    </>
  );
}
