import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { nextOpening, ROUND_THE_CLOCK, type Schedule, tradingPeriodAt } from '@fairtick/trading';
import { expect, test } from 'vitest';
import { CATALOGUE } from './catalogue/catalogue.ts';
import { HOURS, liveSchedule } from './catalogue/schedules.ts';

const db = ownDatabase();

const HOUR_MS = 3_600_000;
const FROM_MS = Date.UTC(2026, 0, 1);
const UNTIL_MS = Date.UTC(2028, 0, 20);
/** Those of the simulated market, and of live products those that differ; both end with their table. */
const schedules = [
  ...CATALOGUE.map(({ hours }) => HOURS[hours]),
  ...CATALOGUE.filter(({ symbol }) => symbol === 'EUR/USD' || symbol === 'UKOIL').map((product) =>
    liveSchedule(product.liveHours),
  ),
];
const shipped = [...new Map(schedules.map((schedule) => [JSON.stringify(schedule), schedule])).values()];

/** Times over two years, and the beginning and end of each trading period that one of them falls in. */
function timesOf(schedule: Schedule): number[] {
  const times = new Set<number>();
  for (let timeMs = FROM_MS; timeMs < UNTIL_MS; timeMs += 23.7 * HOUR_MS) {
    times.add(Math.floor(timeMs));
    const { startMs, endMs } = tradingPeriodAt(schedule, timeMs) ?? { startMs: timeMs, endMs: null };
    for (const edge of [startMs, endMs ?? startMs])
      for (const by of [-1, 0]) times.add(Math.floor(edge) + by);
  }
  return [...times].filter((timeMs) => timeMs > 0);
}

test('the database has the trading periods of every shipped schedule, through changes of the clock, holidays, short days and the end of a table', async () => {
  expect(shipped.length).toBeGreaterThan(8);
  for (const schedule of [...shipped, ROUND_THE_CLOCK]) {
    const { rows } = await db.owner.query<Record<string, string> & { is_open: boolean }>(
      'select t, p.* from unnest($2::bigint[]) t cross join lateral trading_period_at($1, t) p',
      [JSON.stringify(schedule), timesOf(schedule)],
    );
    for (const row of rows) {
      const timeMs = Number(row.t);
      const period = tradingPeriodAt(schedule, timeMs);
      const what = `${schedule.zone} at ${new Date(timeMs).toISOString()}`;
      expect(row.is_open, what).toBe(period !== null);
      const [fromMs, untilMs] = [Number(row.from_ms), Number(row.until_ms)];
      if (period) {
        expect([fromMs, untilMs], what).toEqual([period.startMs, period.endMs ?? 2 ** 63]);
      } else {
        const opensMs = nextOpening(schedule, timeMs) ?? Number.POSITIVE_INFINITY;
        expect([fromMs, untilMs], what).toEqual([timeMs, Math.min(opensMs, timeMs + HOUR_MS)]);
      }
    }
  }
});
