import { join } from 'node:path';
import { points } from '@fairtick/money';
import { GRID_MS, type ProductRules, ROUND_THE_CLOCK } from '@fairtick/trading';
import type { Pool } from '../apps/server/src/db/database.ts';
import type { Arrival, Feed } from '../apps/server/src/market-data/feeds/feed.ts';
import { readLogHead } from '../apps/server/src/market-data/log/log-head.ts';
import { LogSession } from '../apps/server/src/market-data/log/log-session.ts';
import { loadSigningKeys } from '../apps/server/src/market-data/log/signing-keys.ts';
import { productRules } from '../apps/server/src/market-data/product-rules.ts';
import { type Product, Products } from '../apps/server/src/market-data/products.ts';
import { SessionClock } from '../apps/server/src/market-data/session-clock.ts';
import { SteppedClock } from '../apps/server/test/stepped-clock.ts';
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
const SOURCES = ['first', 'second', 'third'];
const START_MS = Date.UTC(2030, 0, 7, 12);

/** Every source quotes every product at every grid time, each a little different: nothing is cheaper than in the worst hour. */
class BusyFeed implements Feed {
  readonly name = 'bench';
  readonly #products: readonly Product[];
  #sequence = 0n;

  constructor(products: readonly Product[]) {
    this.#products = products;
  }

  rulesOf({ symbol, decimals }: Product): ProductRules {
    return productRules({
      symbol,
      decimals,
      sources: SOURCES,
      quorum: 2,
      staleMs: 5_000,
      outlierBps: 100,
      settleBoundMs: 2_000,
      delayMs: 0,
      schedule: ROUND_THE_CLOCK,
    });
  }

  take(timeMs: number): readonly Arrival[] {
    this.#sequence += 1n;
    const wave = BigInt((timeMs / GRID_MS) % 97);
    return this.#products.flatMap(({ id }) =>
      SOURCES.map((source, place) => ({
        productId: id,
        quote: {
          source,
          price: points(108_000n + BigInt(id) * 1_000n + wave + BigInt(place)),
          sourceMs: timeMs - 40 - place * 7,
          sourceSeq: 1_000_000n + this.#sequence,
          receivedMs: timeMs - 10 - place,
        },
      })),
    );
  }

  endedBy(): ReadonlySet<number> {
    return new Set();
  }

  setBusy(): void {}

  async announcement(): Promise<null> {
    return null;
  }
}

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

async function openWriter({
  server,
  dataDir,
}: BenchInstallation): Promise<{ write: () => Promise<number>; size: () => number }> {
  const products = await Products.load(server);
  const { epoch, beat, origin } = await readLogHead(server);
  const { rows } = await server.query<{ epoch: string }>('select log_acquire($1, $2, $3) as epoch', [
    'bench',
    epoch,
    beat,
  ]);
  const clock = new SteppedClock(START_MS);
  const session = await LogSession.open(server, {
    feed: new BusyFeed(products.all),
    products,
    sessions: new SessionClock(),
    signer: loadSigningKeys(join(dataDir, 'bench.key'), origin).checkpoints,
    epoch: Number(rows[0]?.epoch),
    clockOf: () => clock,
  });
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
