import pg from 'pg';
import type { ClockSample, LogClock, LogTime } from '../../../apps/server/src/market/writer/log-clock.ts';
import { functionsOfSchema } from '../../../apps/server/src/platform/db/schema-files.ts';
import type { TestDatabase } from '../database/database.ts';
import { until } from '../waiting/until.ts';
import type { House } from './house.ts';

/**
 * A log clock that a test sets: the offset in the log's head makes up the difference to the database's clock, so that every
 * reader of the log's time gets the set time. That time then runs on until the next step.
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

  at(): number {
    return this.#targetMs;
  }
}

/** Lets a test set the log's time as it likes: log_append no longer keeps it to the database's clock. */
export async function freeLogClock({ owner }: TestDatabase): Promise<void> {
  await owner.query(
    `create or replace function log_tolerance() returns bigint immutable language sql as 'select 1000000000000000'`,
  );
}

/** Ends {@link freeLogClock}: the product's own functions again. */
export async function bindLogClock({ owner }: TestDatabase): Promise<void> {
  await owner.query(functionsOfSchema().find(({ file }) => file === 'log/entries')?.sql as string);
}

/**
 * Makes the clock of an installation's database settable: in this database every statement and every function of the product
 * finds a test schema's `clock_timestamp()` before PostgreSQL's own.
 * @returns sets the clock to this many ms off the true time
 */
export async function makeClockSettable(house: House): Promise<(ms: number) => Promise<void>> {
  return replaceClock(
    house,
    `pg_catalog.clock_timestamp() + (select ms from skewed.skew) * interval '1 millisecond'`,
  );
}

/**
 * The same, but the clock stands still between two settings.
 * @returns sets the clock to a time, Unix ms
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
        for f in select oid from pg_proc where prosrc like '%clock_timestamp()%' and pronamespace = 'public'::regnamespace
        loop
          execute format('alter function %s set search_path = skewed, pg_catalog, public, pg_temp', f);
        end loop;
      end $$;
      select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid();`);
  } finally {
    await client.end();
  }
  // Idle connections of the pools must notice that they were cut: only new ones use the other clock.
  await until(() => house.db.server.idleCount + house.db.owner.idleCount === 0);
  return async (ms) => {
    await house.db.owner.query('update skewed.skew set ms = $1', [ms]);
  };
}
