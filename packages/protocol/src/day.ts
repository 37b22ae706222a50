/**
 * Whether a text is a calendar day such as `2026-02-28`. JavaScript reads 31 February as 3 March, so the parsed date must format
 * back to the same text. The year 0 is refused, because PostgreSQL does not have it.
 */
export function isDay(text: string): boolean {
  return /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text) && new Date(text).toJSON()?.slice(0, 10) === text;
}

export function isZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).format(0) !== '';
  } catch {
    return false;
  }
}
