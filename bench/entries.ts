import { setTimeout as sleep } from 'node:timers/promises';
import { LOG_KINDS } from '../apps/server/src/market/log/log-kinds.ts';
import { PlacementQueue } from '../apps/server/src/trading/placement/placement-queue.ts';
import { replayedLog } from '../apps/server/src/transparency/replay/replayed-log.ts';
import { expectOpened, expectRightBooks } from './kit/books.ts';
import { type BenchHouse, openHouse } from './kit/house.ts';
import { printTable } from './kit/measure.ts';
import { sized } from './kit/size.ts';
import { placeFor } from './placement.ts';

/**
 * Bytes of a log entry by its kind: as the log publishes it, and in the database with its indexes; and how many of them a day has.
 * All products tick at every grid time, with the demo's sources, while customers place orders. The baseline is a tick. Before the
 * orders it measures what share of a core the feed and its database take.
 *   npm run bench -- entries [SECONDS]
 */
const SECONDS = Number(process.argv[2] ?? sized(20, 2));
/** Entries whose text is read. */
const SAMPLE = 50_000;
const GRID_TIMES_A_DAY = 4 * 86_400;
/** The most of a kind that one product, or for `orders` the whole log, has in a day; rules are written when they change. */
const A_DAY = {
  tick: GRID_TIMES_A_DAY,
  orders: GRID_TIMES_A_DAY,
  rules: 1,
} as const;
const KINDS = ['tick', 'orders', 'rules'] as const;

const house = await openHouse({ customers: sized(10_000, 1_000) });
try {
  await printFeedShare(house);
  const queue = new PlacementQueue(house.placement);
  await placeFor(house, queue, { products: await house.openProducts(), requesters: 16, seconds: SECONDS });
  await expectOpened(house);
  await expectRightBooks(house);
  const texts = await textBytes(house);
  const stored = await storedBytes(house);
  const tick = stored.tick as number;
  printTable(
    ['entry', 'text bytes', 'stored bytes with indexes', '× a tick', 'at most a day', 'MB a day'],
    KINDS.map((kind) => {
      const [bytes, count] = [stored[kind] as number, A_DAY[kind] as number];
      const row = [kind, Math.round(texts[kind] as number), Math.round(bytes), (bytes / tick).toFixed(2)];
      return [...row, count, ((bytes * count) / 1e6).toFixed(3)];
    }),
  );
} finally {
  await house.close();
}

/** The first minutes include the simulated past, which a thread of the feed's process makes. */
async function printFeedShare({ cpuMs, owner }: BenchHouse): Promise<void> {
  const look = async () => {
    const { rows } = await owner.query<{ size: string }>('select size from log_head');
    return { ...cpuMs(), entries: Number(rows[0]?.size), ms: performance.now() };
  };
  const before = await look();
  await sleep(SECONDS * 1_000);
  const after = await look();
  const per = (name: keyof typeof after, of: keyof typeof after) =>
    (after[name] - before[name]) / (after[of] - before[of]);
  const row = (what: string, part: 'feed' | 'database') => [
    what,
    (per('entries', 'ms') * 1_000).toFixed(0),
    (per(part, 'ms') * 100).toFixed(1),
    (per(part, 'entries') * 1_000).toFixed(0),
  ];
  printTable(
    ['process', 'entries/s', '% of a core', 'µs an entry'],
    [row('the feed', 'feed'), row('its database', 'database')],
  );
}

/** The mean length of each kind's text. */
async function textBytes({ pool, reader }: BenchHouse): Promise<Record<string, number>> {
  const client = await pool.connect();
  const sums = new Map<string, { bytes: number; entries: number }>();
  try {
    const { rows } = await client.query<{ size: string }>('select size from log_head');
    const size = Math.min(Number(rows[0]?.size), SAMPLE);
    for await (const { texts } of replayedLog(reader, { from: 0, size })) {
      for (const text of texts) {
        const kind = text.slice(0, text.indexOf('|'));
        const { bytes, entries } = sums.get(kind) ?? { bytes: 0, entries: 0 };
        sums.set(kind, { bytes: bytes + Buffer.byteLength(text), entries: entries + 1 });
      }
    }
  } finally {
    client.release();
  }
  return Object.fromEntries([...sums].map(([kind, { bytes, entries }]) => [kind, bytes / entries]));
}

/** The mean size of each kind's row, with its share of the indexes. */
async function storedBytes({ owner }: BenchHouse): Promise<Record<string, number>> {
  const { rows } = await owner.query<{ kind: number; bytes: number }>(
    `select kind, avg(pg_column_size(e.*))::float8 + (
       select sum(pg_indexes_size(inhrelid))::float8 from pg_inherits where inhparent = 'log_entries'::regclass
     ) / (select count(*) from log_entries) as bytes
     from log_entries e group by kind`,
  );
  const byKind = new Map(rows.map(({ kind, bytes }) => [kind, bytes]));
  return Object.fromEntries(KINDS.map((name) => [name, byKind.get(LOG_KINDS[name]) ?? Number.NaN]));
}
