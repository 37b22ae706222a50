/** Time in the model: UTC days, cut into 96 windows of 15 minutes, each walked in steps of one length. */
export const DAY_MS = 86_400_000;
export const WINDOW_MS = 900_000;
export const WINDOWS_PER_DAY = 96;

/** Number of the UTC day: days since 1970-01-01. */
export const dayOf = (timeMs: number): number => Math.floor(timeMs / DAY_MS);
/** Number of the 15-minute window: windows since 1970-01-01. */
export const windowOf = (timeMs: number): number => Math.floor(timeMs / WINDOW_MS);
/** `YYYY-MM-DD` of a day's number. */
export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** Step of the windows from the installation's on: 250 ms, the length of a slot. */
export const LIVE_STEP_MS = 250;

/** Steps before the installation, by how many days a window's UTC day is before the installation's. */
const PAST_STEPS = [
  { untilDays: 2, stepMs: 5_000 },
  { untilDays: 10, stepMs: 15_000 },
  { untilDays: 60, stepMs: 60_000 },
] as const;
/** Older windows are not walked: their two ends are enough for candles of days. */
const OLDEST_STEP_MS = WINDOW_MS;

/**
 * The step of each window. It depends on the window and on the installation's time, never on today's date or the caller: past
 * prices never change, and two candles over the same span see the same steps.
 */
export class Timeline {
  readonly installedDay: number;
  readonly #installedWindow: number;

  constructor(installedMs: number) {
    this.installedDay = dayOf(installedMs);
    this.#installedWindow = windowOf(installedMs);
  }

  stepOf(window: number): number {
    return window >= this.#installedWindow
      ? LIVE_STEP_MS
      : this.#pastStepOf(Math.floor(window / WINDOWS_PER_DAY));
  }

  /** The finest step of a day's windows. All have it, except on the day of the installation. */
  finestStepOf(day: number): number {
    return day >= this.installedDay ? LIVE_STEP_MS : this.#pastStepOf(day);
  }

  #pastStepOf(day: number): number {
    const daysBefore = this.installedDay - day;
    return PAST_STEPS.find(({ untilDays }) => daysBefore <= untilDays)?.stepMs ?? OLDEST_STEP_MS;
  }
}
