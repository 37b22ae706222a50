/**
 * A range of days (`2026-11-19`, as date fields write them) in the reader's language: Nov 1 – 19. Other years than this one are
 * shown.
 */
export function formatDays(from: string, to: string, tag: string): string {
  const days = [from, to].map(dateOf) as [Date, Date];
  const thisYear = new Date().getFullYear();
  const year = days.some((day) => day.getFullYear() !== thisYear) ? 'numeric' : undefined;
  return new Intl.DateTimeFormat(tag, { year, month: 'short', day: 'numeric' }).formatRange(...days);
}

function dateOf(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date);
}
