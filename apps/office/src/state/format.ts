const formats = new Map<string, Intl.DateTimeFormat>();

/** 2026-11-21 14:42:20, in the reader's zone; the year comes first, so that columns sort correctly as text. */
export function formatTime(ms: number, tag: string): string {
  const known = formats.get(tag);
  const format =
    known ??
    new Intl.DateTimeFormat(tag, {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    });
  formats.set(tag, format);
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}:${parts.second}`;
}

/** Names one after the other, with the language's comma between them. */
export const listed = (names: readonly string[], tag: string): string =>
  names.join(tag.startsWith('zh') ? '、' : ', ');

/** The region's name with its code, because the rules name codes. */
export const regionName = (code: string, tag: string): string => {
  const name = new Intl.DisplayNames(tag, { type: 'region', fallback: 'none' }).of(code);
  return name === undefined ? code : `${name} (${code})`;
};
