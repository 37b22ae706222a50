import pg from 'pg';
import type { ClockSample, LogClock, LogTime } from '../../../apps/server/src/market-data/log/log-clock.ts';
import { until } from '../waiting/until.ts';
import type { House } from './house.ts';

/**
 * A log clock that stands where it is put: the offset that the writer keeps in the log's head makes up the difference to
 * the database's clock, so that everybody who asks for the log's time gets the stepped one (which then runs on until the
 * next step, as a clock does).
 */
export class SteppedClock implements LogClock {
  #targetMs: number;

  constructor(startMs: number) {
    this.#targetMs = startMs;
  }

  get targetMs(): number {
    return this.#targetMs;
  }

  stepTo(timeMs: number): void {
    if (timeMs < this.#targetMs) throw new Error('the log never goes back in time');
    this.#targetMs = timeMs;
  }

  read(sample: ClockSample, floorMs: number): LogTime {
    const timeMs = Math.max(this.#targetMs, floorMs);
    return { timeMs, offsetMs: timeMs - Math.floor(sample.databaseMs), hasStepped: false };
  }

  msUntil(): number {
    return 0;
  }
}

/**
 * Makes the clock of a house's database one that a test can set: in this one database `clock_timestamp()` is found in a
 * schema of the test's before PostgreSQL's own, by every statement and every function of the product.
 * @returns sets it to so many milliseconds beside the true time
 */
export async function makeClockSettable(house: House): Promise<(ms: number) => Promise<void>> {
  return replaceClock(
    house,
    `pg_catalog.clock_timestamp() + (select ms from skewed.skew) * interval '1 millisecond'`,
  );
}

/**
 * The same, but the clock stands still between two settings.
 * @returns sets it to a time, Unix ms
 */
export async function makeClockStandStill(house: House): Promise<(ms: number) => Promise<void>> {
  return replaceClock(house, `timestamptz 'epoch' + (select ms from skewed.skew) * interval '1 millisecond'`);
}

async function replaceClock(house: House, reading: string): Promise<(ms: number) => Promise<void>> {
  const { name, ownerAddress } = house.db;
  const client = new pg.Client({ ...ownerAddress, user: 'postgres' });
  await client.connect();
  try {
    await client.query(`
      create schema skewed;
      create table skewed.skew (ms bigint not null);
      insert into skewed.skew values (0);
      create function skewed.clock_timestamp() returns timestamptz volatile language sql as $$ select ${reading} $$;
      grant usage on schema skewed to public;
      grant select, update on skewed.skew to public;
      alter database ${name} set search_path = skewed, pg_catalog, public;
      do $$ declare f regprocedure; begin
        for f in select oid from pg_proc where prosrc like '%clock_timestamp()%' and proconfig::text like '%search_path=public%'
        loop
          execute format('alter function %s set search_path = skewed, pg_catalog, public, pg_temp', f);
        end loop;
      end $$;
      select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid();`);
  } finally {
    await client.end();
  }
  // The pool's idle connections have to notice that they are gone: new ones know the other clock.
  await until(() => house.db.server.idleCount + house.db.owner.idleCount === 0, 5_000);
  return async (ms) => {
    await house.db.owner.query('update skewed.skew set ms = $1', [ms]);
  };
}
