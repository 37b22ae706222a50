/**
 * Whether a text is a day of the calendar as `2026-02-28`. JavaScript itself would take 31 February for 3 March: a day that
 * does not come back as it was written is none. The year 0 is none either, which PostgreSQL does not know.
 */
export function isDay(text: string): boolean {
  return /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text) && new Date(text).toJSON()?.slice(0, 10) === text;
}
