/** A day as date fields write it, as the reader's language does: Nov 19. */
export function formatCalendarDay(day: string, tag: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric' }).format(
    new Date(year, month - 1, date),
  );
}
