import { Gauge, type Registry } from 'prom-client';
import type { Listing } from '../../catalogue/listing.ts';
import { CALENDARS, type Calendar } from '../../catalogue/schedules.ts';

/** The operator is warned when the dates of a market end within this time. */
const WARN_MS = 90 * 86_400_000;

/** The calendars of these products whose dates end soon or have ended. */
export function endingCalendars(
  products: Iterable<{ readonly listing: Pick<Listing, 'liveHours'> }>,
  nowMs: number,
): readonly Calendar[] {
  const used = new Set([...products].map(({ listing }) => listing.liveHours));
  return CALENDARS.filter(({ hours, until }) => used.has(hours) && endOf(until) - nowMs < WARN_MS);
}

/** Adds the end of each market's dates to the metrics. */
export function measureCalendars(registry: Registry): void {
  const gauge = new Gauge({
    name: 'fairtick_calendar_end_timestamp_seconds',
    help: 'Unix time after which the holidays of a market are unknown and its live products are closed',
    labelNames: ['market'],
    registers: [registry],
  });
  for (const { market, until } of CALENDARS) gauge.set({ market }, endOf(until) / 1_000);
}

/** Unix ms of the end of a date, UTC. */
export const endOf = (date: string): number => Date.parse(date) + 86_400_000;
