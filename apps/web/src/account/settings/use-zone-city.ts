import { useEffect, useState } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { type Cities, cityOf, readCities } from './zones.ts';

const NONE: Cities = {};

/** The city of a zone in the reader's language; the end of its IANA name until the names are there. */
export function useZoneCity(zone: string | null): string | null {
  const { language } = useText();
  const [cities, setCities] = useState(NONE);
  const isNeeded = zone !== null;
  useEffect(() => {
    if (isNeeded) void readCities(language).then(setCities);
  }, [isNeeded, language]);
  return zone === null ? null : cityOf(zone, cities);
}
