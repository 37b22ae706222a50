import type { Schedule } from '@fairtick/trading';
import { Gauge, type Registry } from 'prom-client';
import { CATALOGUE } from '../../catalogue/catalogue.ts';
import { type Listing, nameOfHours } from '../../catalogue/listing.ts';
import { CALENDARS, type Calendar, HOURS, type HoursName } from '../../catalogue/schedules.ts';
import type { Product } from '../../products.ts';

/** The operator is warned when the dates of a market end within this time. */
const WARN_MS = 90 * 86_400_000;

const LISTED = new Map(CATALOGUE.map(({ symbol, schedule }) => [symbol, nameOfHours(schedule)]));
const KNOWN = new Map<Schedule, Schedule>(
  CALENDARS.map(({ schedule, until }) => [schedule, { ...schedule, until }]),
);

/** When a market trades, as far as its holidays are known. */
export function marketHours(name: HoursName): Schedule {
  const schedule = HOURS[name];
  return KNOWN.get(schedule) ?? schedule;
}

/**
 * The hours of a product's market. The simulated market trades currencies and metals round the clock; dealers close. Other markets have
 * the hours of the catalogue.
 */
export function liveHoursOf({ symbol, assetClass }: Pick<Product, 'symbol' | 'assetClass'>): HoursName {
  if (assetClass === 'forex') return 'currency-dealers';
  if (assetClass === 'metal') return 'day-long';
  if (symbol === 'UKOIL') return 'brent';
  return LISTED.get(symbol) ?? 'round-the-clock';
}

/** The calendars of these products whose dates end soon or have ended. */
export function endingCalendars(
  products: Iterable<{ readonly listing: Pick<Listing, 'liveHours'> }>,
  nowMs: number,
): readonly Calendar[] {
  const used = new Set<Schedule>([...products].map(({ listing }) => HOURS[listing.liveHours]));
  return CALENDARS.filter(({ schedule, until }) => used.has(schedule) && endOf(until) - nowMs < WARN_MS);
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
