/** A stay without a longer pause: its start, the last time seen, and the minutes of the last reminder. */
export interface Here {
  readonly sinceMs: number;
  readonly seenMs: number;
  readonly toldMinutes: number;
}

/** An absence of this length ends a stay. */
const PAUSE_MS = 15 * 60_000;
const MINUTE_MS = 60_000;

export function readHere(text: string | null): Here | null {
  try {
    const here = JSON.parse(text ?? 'null') as Here | null;
    const isWhole =
      here !== null && [here.sinceMs, here.seenMs, here.toldMinutes].every((part) => Number.isFinite(part));
    return isWhole ? here : null;
  } catch {
    return null;
  }
}

/** Records that the customer is here now. `due`: minutes of a reminder to show, each value once; null: none. */
export function beHere(
  before: Here | null,
  nowMs: number,
  everyMinutes: number | null,
): { readonly here: Here; readonly due: number | null } {
  const goesOn = before !== null && nowMs >= before.seenMs && nowMs - before.seenMs < PAUSE_MS;
  const here = goesOn ? { ...before, seenMs: nowMs } : { sinceMs: nowMs, seenMs: nowMs, toldMinutes: 0 };
  if (everyMinutes === null) return { here, due: null };
  const minutes = Math.floor((nowMs - here.sinceMs) / MINUTE_MS);
  const due = minutes - (minutes % everyMinutes);
  return due > here.toldMinutes ? { here: { ...here, toldMinutes: due }, due } : { here, due: null };
}
