/**
 * A length of time in its two largest units, in the reader's language: `3 hr 12 min`, `420 ms`; written out with `long`:
 * `3 hours 12 minutes`.
 * @param tag BCP 47
 */
export function durationText(ms: number, tag: string, unitDisplay: 'short' | 'long' = 'short'): string {
  const [value, unit, rest, smaller] = partsOf(Math.max(0, Math.round(ms)));
  const text = (count: number, name: string) =>
    new Intl.NumberFormat(tag, { style: 'unit', unit: name, unitDisplay })
      .format(count)
      // A figure stands apart from Chinese letters, as everywhere on our screens.
      .replace(/(\d)(?=\p{Script=Han})/u, '$1 ');
  return smaller === null || rest === 0 ? text(value, unit) : `${text(value, unit)} ${text(rest, smaller)}`;
}

function partsOf(ms: number): [number, string, number, string | null] {
  if (ms < 1_000) return [ms, 'millisecond', 0, null];
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return [seconds, 'second', 0, null];
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return [minutes, 'minute', seconds % 60, 'second'];
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return [hours, 'hour', minutes % 60, 'minute'];
  return [Math.floor(hours / 24), 'day', hours % 24, 'hour'];
}
