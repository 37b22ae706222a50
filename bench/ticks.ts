import type { Pool } from '../apps/server/src/platform/db/database.ts';
import { aDayAgoMs, type BusyDraft, openBusyParts, openBusyWriter } from './kit/busy-writer.ts';
import { openInstallation } from './kit/installation.ts';
import { familyCpuMs, inTurn, median, printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * Ticks per second through the real writer, about a thousand per transaction, fsync on: entries appended to the signed tree with
 * states and candles, and the same including the making of prices and entries from three sources' quotes. The baseline inserts
 * the same rows, made beforehand, as many per transaction, into a table with the same columns, checks and indexes.
 *   npm run bench -- ticks
 */
const ROUNDS = sized(6, 1);
const APPENDS = sized(60, 3);
/** Grid times of one transaction: about a thousand ticks with the whole catalogue. */
const GRID_TIMES = 7;
/** Transactions in flight: one is hashed and packed while the one before it is written. */
const IN_FLIGHT = 2;
const START_MS = aDayAgoMs();

/** The columns of a tick. */
const TYPES = {
  time_ms: 'bigint',
  n: 'bigint',
  price: 'bigint',
  rules_id: 'bigint',
  product_id: 'smallint',
  kind: 'smallint',
  quotes: 'bytea',
} as const;

interface Figures {
  readonly rate: number;
  readonly ownMicros: number;
  readonly databaseMicros: number;
}

const installation = await openInstallation();
const postmaster = installation.postmaster;
try {
  await openBusyWriter(installation, START_MS);
  const { draft, append } = await openBusyParts(installation, START_MS);
  await append(draft(GRID_TIMES));
  const insert = await openPlainTable(installation.server, installation.owner);
  const results = await inTurn(ROUNDS, {
    plain: () => measure(insert),
    append: () => {
      const drafts = Array.from({ length: APPENDS }, () => draft(GRID_TIMES));
      return measure(() => append(drafts.shift() as BusyDraft), IN_FLIGHT);
    },
    whole: () => measure(() => append(draft(GRID_TIMES)), IN_FLIGHT),
  });
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
      row('append', 'entries: hash, signature, rows, states, candles'),
      row('whole', 'the same and before it price and entry of three quotes'),
    ],
  );
} finally {
  await installation.close();
}

/** Runs transactions that each return their number of ticks: ticks per second, and CPU per tick here and in the database. */
async function measure(work: () => Promise<number>, inFlight = 1): Promise<Figures> {
  const [startMs, cpu, databaseMs] = [performance.now(), process.cpuUsage(), familyCpuMs(postmaster)];
  let ticks = 0;
  const underWay: Promise<number>[] = [];
  for (let append = 0; append < APPENDS; append += 1) {
    underWay.push(work());
    if (underWay.length === inFlight) ticks += (await underWay.shift()) ?? 0;
  }
  for (const rest of underWay) ticks += await rest;
  const { user, system } = process.cpuUsage(cpu);
  return {
    rate: (ticks * 1000) / (performance.now() - startMs),
    ownMicros: (user + system) / ticks,
    databaseMicros: ((familyCpuMs(postmaster) - databaseMs) * 1000) / ticks,
  };
}

/** Inserts the log's rows of ticks into a plain table, over and over. */
async function openPlainTable(server: Pool, owner: Pool): Promise<() => Promise<number>> {
  await owner.query(`create table plain_entries (like log_entries including all)`);
  await owner.query('grant insert on plain_entries to fairtick_server');
  const columns = Object.keys(TYPES);
  const { rows } = await server.query<Record<string, unknown>>(
    `select ${columns} from log_entries where kind = log_kind('tick')`,
  );
  const values = columns.map((column) => rows.map((row) => row[column]));
  let index = 0;
  return async () => {
    await server.query({
      name: 'plain-insert',
      text: `insert into plain_entries (index, ${columns})
        select $${columns.length + 1}::bigint + e.ord, ${columns.map((column) => `e.${column}`)}
        from unnest(${Object.values(TYPES).map((type, place) => `$${place + 1}::${type}[]`)}) with ordinality as e (${columns}, ord)`,
      values: [...values, index],
    });
    index += rows.length;
    return rows.length;
  };
}
