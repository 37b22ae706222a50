import { CheckIcon, SearchIcon } from '@fairtick/ui';
import { type KeyboardEvent, Suspense, use, useEffect, useId, useMemo, useRef, useState } from 'react';
import { serverNow } from '../../live/clock.ts';
import { useText } from '../../messages/text-context.tsx';
import { Waiting } from '../../parts/waiting.tsx';
import { useSettings } from '../../state/settings.ts';
import { useCachedViews } from '../../state/ui.ts';
import css from './settings.module.css';
import { type Cities, find, readCities, wordsOf, type Zone, zoneAt, zonesAt } from './zones.ts';

/** Chooses the zone for all times: the device's, or another one. */
export function ZoneForm({ onDone }: { onDone: () => void }) {
  const { t, language } = useText();
  const [cities] = useState(() => Promise.all([readCities(language), readCities('en')]));
  const setZone = useSettings((state) => state.setZone);
  const choose = (zone: string | null) => {
    setZone(zone);
    // Cached views have already rendered their times in the old zone.
    useCachedViews.getState().clear();
    onDone();
  };
  return (
    <>
      <p className={`note ${css.note}`}>{t('mine.zoneNote')}</p>
      <Suspense fallback={<Waiting heights={[44, 320]} />}>
        <Chooser cities={cities} onChoose={choose} />
      </Suspense>
    </>
  );
}

interface Choice {
  /** Null: the device's zone, whichever it is. */
  readonly id: string | null;
  readonly name: string;
  readonly note: string;
}

const toChoice = ({ id, city, offset }: Zone): Choice => ({ id, name: city, note: offset });

/** The choices that a query leaves; all with the device's zone first while nothing is typed. */
function useChoices(query: string, [cities, english]: readonly [Cities, Cities]): readonly Choice[] {
  const { t, tag } = useText();
  const [nowMs] = useState(serverNow);
  const zones = useMemo(() => zonesAt(cities, tag, nowMs), [cities, tag, nowMs]);
  // Made once for each zone, and not before something is typed.
  const words = useRef(new Map<string, string>());
  const wordsFor = (zone: Zone): string => {
    const known = words.current.get(zone.id) ?? wordsOf(zone, english, tag, nowMs);
    words.current.set(zone.id, known);
    return known;
  };
  const found = find(zones, query, wordsFor).map(toChoice);
  if (query.trim() !== '') return found;
  const { city, offset } = zoneAt(Intl.DateTimeFormat().resolvedOptions().timeZone, cities, nowMs);
  return [{ id: null, name: t('mine.zoneDevice'), note: `${city} ${offset}` }, ...found];
}

/** A field that searches the list below it. Arrows move in the list, Enter chooses; the focus stays in the field. */
function Chooser(props: {
  cities: Promise<readonly [Cities, Cities]>;
  onChoose: (zone: string | null) => void;
}) {
  const { t } = useText();
  const current = useSettings((state) => state.zone);
  const [query, setQuery] = useState('');
  const choices = useChoices(query, use(props.cities));
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      choices.findIndex(({ id }) => id === current),
    ),
  );
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = choices[active];
    if (event.key === 'Enter' && chosen) props.onChoose(chosen.id);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setActive(Math.min(Math.max(active + step, 0), choices.length - 1));
  };
  return (
    <>
      <label className={css.search}>
        <SearchIcon size={20} />
        <input
          type="search"
          role="combobox"
          aria-label={t('mine.zoneSearch')}
          aria-expanded="true"
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={choices[active] ? `${id}-${active}` : undefined}
          placeholder={t('mine.zoneSearch')}
          value={query}
          maxLength={40}
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <div ref={list} id={id} className={css.choices} role="listbox" aria-label={t('mine.zone')}>
        {choices.map((choice, at) => (
          // The field has the keyboard.
          // biome-ignore lint/a11y/useKeyWithClickEvents: as above
          <div
            key={choice.id}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={choice.id === current}
            data-active={at === active || undefined}
            onClick={() => props.onChoose(choice.id)}
          >
            <span>{choice.name}</span>
            <span className="secondary" translate="no">
              {choice.note}
            </span>
            {choice.id === current && <CheckIcon size={18} />}
          </div>
        ))}
      </div>
      <p className="sr" role="status">
        {t('mine.zonesFound', { count: choices.length })}
      </p>
      {choices.length === 0 && <p className={`secondary ${css.none}`}>{t('mine.zoneNone')}</p>}
    </>
  );
}
