import { nextOpening, type Schedule, tradingPeriodAt } from '@fairtick/trading';

/** When support answers, and how soon. An empty list of windows means round the clock. */
export interface OfficeHours {
  readonly schedule: Schedule;
  /** An answer is promised within this many minutes of office hours. */
  readonly answerMinutes: number;
}

/** Maximum stretches of open time that are added up; a promise further away counts as none. */
const MAX_STRETCHES = 100;

/**
 * When an answer is promised to a message from `sinceMs`: after `answerMinutes` of office hours, over as many nights as needed.
 * Null: the hours promise nothing in sight.
 */
export function answerBy({ schedule, answerMinutes }: OfficeHours, sinceMs: number): number | null {
  let leftMs = answerMinutes * 60_000;
  let atMs = sinceMs;
  for (let stretch = 0; stretch < MAX_STRETCHES; stretch += 1) {
    const period = tradingPeriodAt(schedule, atMs);
    if (!period) {
      const opensMs = nextOpening(schedule, atMs);
      if (opensMs === null) return null;
      atMs = opensMs;
      continue;
    }
    if (period.endMs === null || atMs + leftMs <= period.endMs) return atMs + leftMs;
    leftMs -= period.endMs - atMs;
    atMs = period.endMs;
  }
  return null;
}

/** Whether support answers now; if not, when it answers next. */
export function openingOf(
  { schedule }: OfficeHours,
  nowMs: number,
): { readonly isOpen: boolean; readonly opensAt: number | null } {
  const isOpen = tradingPeriodAt(schedule, nowMs) !== null;
  return { isOpen, opensAt: isOpen ? null : nextOpening(schedule, nowMs) };
}
