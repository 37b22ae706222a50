import type { Language } from '@fairtick/protocol/languages';
import { Suspense, use, useMemo, useState } from 'react';
import { serverNow } from '../../live/clock.ts';
import { useText } from '../../messages/text-context.tsx';
import { countryNames, readCountryWords } from '../../parts/countries.ts';
import { type Choice, SearchList } from '../../parts/search-list.tsx';
import { Waiting } from '../../parts/waiting.tsx';
import { useSettings } from '../../state/settings.ts';
import { useCachedViews } from '../../state/ui.ts';
import { readCities, readPlaces, searchZones, type Zone, zoneAt, zonesAt } from './zones.ts';

/** Chooses the zone for all times: the device's, or another one. */
export function ZoneForm({ onDone }: { onDone: () => void }) {
  const { t, language } = useText();
  const [lists] = useState(() => readLists(language));
  const keep = useSettings((state) => state.choose);
  const choose = (zone: string | null) => {
    keep('zone', zone);
    // Cached views have already rendered their times in the old zone.
    useCachedViews.getState().clear();
    onDone();
  };
  return (
    <>
      <p className="note mb-12">{t('mine.zoneNote')}</p>
      <Suspense fallback={<Waiting heights={[44, 320]} />}>
        <Chooser lists={lists} onChoose={choose} />
      </Suspense>
    </>
  );
}

const toChoice = ({ id, city, offset }: Zone): Choice<string | null> => ({ id, name: city, note: offset });

const readLists = (language: Language) =>
  Promise.all([readCities(language), readPlaces(), readCountryWords()]);
type Lists = ReturnType<typeof readLists>;

function Chooser({ lists, onChoose }: { lists: Lists; onChoose: (zone: string | null) => void }) {
  const { t, tag } = useText();
  const current = useSettings((state) => state.zone);
  const [cities, places, countries] = use(lists);
  const [nowMs] = useState(serverNow);
  const search = useMemo(() => {
    const namesOf = countryNames(countries, navigator.languages);
    return searchZones(zonesAt(cities, tag, nowMs), places, namesOf);
  }, [cities, places, countries, tag, nowMs]);
  /** All with the device's zone first while nothing is typed. */
  const find = (query: string): readonly Choice<string | null>[] => {
    const found = search(query).map(toChoice);
    if (query.trim() !== '') return found;
    const { city, offset } = zoneAt(Intl.DateTimeFormat().resolvedOptions().timeZone, cities, nowMs);
    return [{ id: null, name: t('mine.zoneDevice'), note: `${city} ${offset}` }, ...found];
  };
  return (
    <SearchList
      label={t('mine.zone')}
      searchLabel={t('mine.zoneSearch')}
      find={find}
      current={current}
      onChoose={onChoose}
      foundText={(count) => t('mine.zonesFound', { count })}
      noneText={t('mine.zoneNone')}
    />
  );
}
