/** 2026-11-21T14:42:20.000, in the reader's zone. */
const localIso = (ms: number): string =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, -1);

/** 2026-11-21 14:42:20, in the reader's zone; the year comes first, so that columns sort correctly as text. */
export const formatTime = (ms: number): string => localIso(ms).slice(0, 19).replace('T', ' ');

/** The same for `datetime-local`, in whole minutes. */
export const localMinute = (ms: number): string => localIso(ms).slice(0, 16);

/** Names one after the other, with the language's comma between them. */
export const listed = (names: readonly string[], tag: string): string =>
  names.join(tag.startsWith('zh') ? '、' : ', ');

/** The region's name with its code, because the rules name codes. */
export const regionName = (code: string, tag: string): string => {
  const name = new Intl.DisplayNames(tag, { type: 'region', fallback: 'none' }).of(code);
  return name === undefined ? code : `${name} (${code})`;
};
