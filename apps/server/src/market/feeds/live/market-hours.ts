import { ROUND_THE_CLOCK, type Schedule } from '@fairtick/trading';
import { Gauge, type Registry } from 'prom-client';
import { CATALOGUE } from '../../catalogue/catalogue.ts';
import { BRENT, CALENDARS, type Calendar, CURRENCY_DEALERS, DAY_LONG } from '../../catalogue/schedules.ts';
import type { Product } from '../../products.ts';

/** The operator is warned when the dates of a market end within this time. */
const WARN_MS = 90 * 86_400_000;

const LISTED = new Map(CATALOGUE.map(({ symbol, schedule }) => [symbol, schedule]));
const KNOWN = new Map<Schedule, Schedule>(
  CALENDARS.map(({ schedule, until }) => [schedule, { ...schedule, until }]),
);

/**
 * When a product's market trades, as far as its holidays are known. The simulated market trades currencies and metals round the clock;
 * dealers close. Other markets have the hours of the catalogue.
 */
export function marketHours(product: Pick<Product, 'symbol' | 'assetClass'>): Schedule {
  const schedule = tableOf(product);
  return KNOWN.get(schedule) ?? schedule;
}

function tableOf({ symbol, assetClass }: Pick<Product, 'symbol' | 'assetClass'>): Schedule {
  if (assetClass === 'forex') return CURRENCY_DEALERS;
  if (assetClass === 'metal') return DAY_LONG;
  if (symbol === 'UKOIL') return BRENT;
  return LISTED.get(symbol) ?? ROUND_THE_CLOCK;
}

/** The calendars of these products whose dates end soon or have ended. */
export function endingCalendars(
  products: Iterable<Pick<Product, 'symbol' | 'assetClass'>>,
  nowMs: number,
): readonly Calendar[] {
  const used = new Set([...products].map(tableOf));
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
