const formats = new Map<string, Intl.DateTimeFormat>();

/** A day with its year, to the minute: a break may end years from now. */
export function formatMoment(ms: number, tag: string): string {
  let format = formats.get(tag);
  if (!format) {
    format = new Intl.DateTimeFormat(tag, {
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(tag, format);
  }
  return format.format(ms);
}
