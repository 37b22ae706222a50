import { dayOf } from '../../state/format.ts';

/**
 * A range of days (`2026-11-19`, as date fields write them) in the reader's language: Nov 1 – 19. Other years than this one are
 * shown.
 */
export function formatDays(from: string, to: string, tag: string): string {
  const days = [from, to].map(Date.parse) as [number, number];
  const thisYear = dayOf(Date.now()).slice(0, 4);
  const year = [from, to].every((day) => day.startsWith(thisYear)) ? undefined : 'numeric';
  return new Intl.DateTimeFormat(tag, { year, month: 'short', day: 'numeric', timeZone: 'UTC' }).formatRange(
    ...days,
  );
}
