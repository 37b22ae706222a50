import { CheckIcon, SearchIcon } from '@fairtick/ui';
import { type KeyboardEvent, Suspense, use, useEffect, useId, useMemo, useRef, useState } from 'react';
import { serverNow } from '../../live/clock.ts';
import { useText } from '../../messages/text-context.tsx';
import { Waiting } from '../../parts/waiting.tsx';
import { useSettings } from '../../state/settings.ts';
import { useCachedViews } from '../../state/ui.ts';
import css from './settings.module.css';
import { readCities, readPlaces, searchZones, type Zone, zoneAt, zonesAt } from './zones.ts';

/** Chooses the zone for all times: the device's, or another one. */
export function ZoneForm({ onDone }: { onDone: () => void }) {
  const { t, language } = useText();
  const [lists] = useState(() => Promise.all([readCities(language), readPlaces()]));
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
        <Chooser lists={lists} onChoose={choose} />
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

/** What is read before the zones can be listed. */
type Lists = Promise<
  readonly [Awaited<ReturnType<typeof readCities>>, Awaited<ReturnType<typeof readPlaces>>]
>;

/** The choices that a query leaves; all with the device's zone first while nothing is typed. */
function useChoices(query: string, lists: Lists): readonly Choice[] {
  const { t, tag } = useText();
  const [cities, places] = use(lists);
  const [nowMs] = useState(serverNow);
  const find = useMemo(
    () => searchZones(zonesAt(cities, tag, nowMs), places, navigator.languages),
    [cities, places, tag, nowMs],
  );
  const found = find(query).map(toChoice);
  if (query.trim() !== '') return found;
  const { city, offset } = zoneAt(Intl.DateTimeFormat().resolvedOptions().timeZone, cities, nowMs);
  return [{ id: null, name: t('mine.zoneDevice'), note: `${city} ${offset}` }, ...found];
}

/** A field that searches the list below it. Arrows move in the list, Enter chooses; the focus stays in the field. */
function Chooser(props: { lists: Lists; onChoose: (zone: string | null) => void }) {
  const { t } = useText();
  const current = useSettings((state) => state.zone);
  const [query, setQuery] = useState('');
  const choices = useChoices(query, props.lists);
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
