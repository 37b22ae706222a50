import { isDay } from '@fairtick/protocol/day';

/** Unix ms at which a day such as `2026-11-21` begins, `later` days on, in the reader's zone or in UTC; undefined if it is not a day. */
export function dayStart(day: string, later = 0, zone: 'own' | 'UTC' = 'own'): number | undefined {
  if (!isDay(day)) return undefined;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const ms =
    zone === 'UTC'
      ? Date.UTC(year, month - 1, date + later)
      : new Date(year, month - 1, date + later).getTime();
  return ms >= 0 ? ms : undefined;
}
