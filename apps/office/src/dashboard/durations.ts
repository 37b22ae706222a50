/** A length of time in its two largest units: `3 h 12 min`, `420 ms`. */
export function durationText(ms: number, tag: string): string {
  const [value, unit, rest, smaller] = partsOf(Math.max(0, Math.round(ms)));
  const text = (count: number, name: string) =>
    new Intl.NumberFormat(tag, { style: 'unit', unit: name, unitDisplay: 'short' }).format(count);
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
