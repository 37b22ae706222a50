import { GRID_MS } from '@fairtick/trading';
import type { Pool } from '../apps/server/src/db/database.ts';
import { openBusyWriter } from './busy-writer.ts';
import { type BenchInstallation, openInstallation } from './installation.ts';
import { cpuMsOf, familyOf, inTurn, median, printTable } from './measure.ts';

/**
 * Ticks a second through the real writer: three sources' quotes of the whole catalogue become prices, entries, leaves of the
 * signed tree and candles, about a thousand a transaction, fsync on. The baseline inserts the same rows, made beforehand, as
 * many a transaction, into a table with the same columns, checks and indexes.
 *   npm run bench:ticks
 */
const ROUNDS = 6;
const APPENDS = 60;
/** Grid times of one transaction: with the whole catalogue about a thousand ticks. */
const GRID_TIMES = 7;
const START_MS = Date.UTC(2030, 0, 7, 12);

interface Figures {
  readonly rate: number;
  readonly ownMicros: number;
  readonly databaseMicros: number;
}

const installation = await openInstallation();
const postmaster = installation.postmaster;
try {
  const { write, size } = await openWriter(installation);
  await write();
  const insert = await openPlainTable(installation.server, installation.owner, size());
  const results = await inTurn(ROUNDS, { plain: () => measure(insert), writer: () => measure(write) });
  const middle = (name: string, figure: keyof Figures) =>
    median((results[name] ?? []).map((result) => result[figure]));
  const row = (name: string, what: string) => [
    what,
    Math.round(middle(name, 'rate')),
    (middle(name, 'rate') / middle('plain', 'rate')).toFixed(2),
    middle(name, 'ownMicros').toFixed(1),
    middle(name, 'databaseMicros').toFixed(1),
  ];
  printTable(
    ['contender', 'ticks/s', '× plain insert', 'Node µs CPU', 'PostgreSQL µs CPU'],
    [
      row('plain', 'plain insert of finished rows, same indexes'),
      row('writer', 'price, entry, hash, signature, states, candles'),
    ],
  );
} finally {
  await installation.close();
}

/** Some transactions, each of which answers how many ticks it wrote: ticks a second, and CPU a tick here and there. */
async function measure(work: () => Promise<number>): Promise<Figures> {
  const database = () => familyOf(postmaster).reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  const [startMs, cpu, databaseMs] = [performance.now(), process.cpuUsage(), database()];
  let ticks = 0;
  for (let append = 0; append < APPENDS; append += 1) ticks += await work();
  const { user, system } = process.cpuUsage(cpu);
  return {
    rate: (ticks * 1000) / (performance.now() - startMs),
    ownMicros: (user + system) / ticks,
    databaseMicros: ((database() - databaseMs) * 1000) / ticks,
  };
}

async function openWriter(
  bench: BenchInstallation,
): Promise<{ write: () => Promise<number>; size: () => number }> {
  const { session, clock } = await openBusyWriter(bench, START_MS);
  const write = async () => {
    const times = Array.from({ length: GRID_TIMES }, (_, place) => clock.targetMs + (place + 1) * GRID_MS);
    const before = session.size;
    clock.stepTo(times.at(-1) as number);
    await session.steps(times);
    return session.size - before;
  };
  return { write, size: () => session.size };
}

/** Inserts rows as the log holds them, the newest that it has, over and over. */
async function openPlainTable(server: Pool, owner: Pool, size: number): Promise<() => Promise<number>> {
  await owner.query(`create table plain_entries (like log_entries including all)`);
  await owner.query('grant insert on plain_entries to fairtick_server');
  const { rows } = await server.query<Record<string, unknown>>(
    'select time_ms, n, price, rules_id, product_id, kind, quotes, body from log_entries where kind = 1 and index < $1',
    [size],
  );
  const columns = ['time_ms', 'n', 'price', 'rules_id', 'product_id', 'kind', 'quotes', 'body'];
  const values = columns.map((column) => rows.map((row) => row[column]));
  let index = 0;
  return async () => {
    await server.query({
      name: 'plain-insert',
      text: `insert into plain_entries (index, ${columns.join(', ')})
        select $9::bigint + e.ord, e.time_ms, e.n, e.price, e.rules_id, e.product_id, e.kind, e.quotes, e.body
        from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::smallint[], $6::smallint[], $7::bytea[],
          $8::text[]) with ordinality as e (time_ms, n, price, rules_id, product_id, kind, quotes, body, ord)`,
      values: [...values, index],
    });
    index += rows.length;
    return rows.length;
  };
}
