import type pg from 'pg';
import {
  EXCHANGE_SOURCES,
  GUARD_SOURCES,
  quorumOf,
} from '../../../apps/server/src/market/feeds/live/live-products.ts';
import { parseEntry } from '../../../packages/proof/src/index.ts';
import { GRID_MS, hasRecord } from '../../../packages/trading/src/index.ts';
import type { PublicRecord } from './public-record.ts';
import type { StormyMarket } from './stormy-market.ts';

/** A price may lack a venue that failed at most this long before. */
const RECENT_MS = 3_000;
/** The age of a quote that a price may still take (`quietMs`), and what clocks and turns add. */
const OLDEST_MS = 10_500;
/** A feed knows the log's time to the time of a statement. */
const MOST_AHEAD_MS = 100;

interface Entry {
  readonly symbol: string;
  readonly decimals: number;
  readonly timeMs: number;
  /** Null: a gap, whose reason is in `reason`. */
  readonly price: bigint | null;
  readonly reason: string | null;
}

/** When an entry could be read by others, Unix ms. */
export interface Seen extends Entry {
  readonly seenMs: number;
}

const COLUMNS = `p.symbol, p.decimals, l.time_ms, l.price, l.body, l.index`;
const TICKS_AND_GAPS = `from log_entries l join products p on p.id = l.product_id where l.kind <= log_kind('gap')`;

interface Row {
  readonly symbol: string;
  readonly decimals: number;
  readonly time_ms: string;
  readonly price: string | null;
  readonly body: string | null;
  readonly index: string;
}

const entryOf = ({ symbol, decimals, time_ms, price, body }: Row): Entry => ({
  symbol,
  decimals,
  timeMs: Number(time_ms),
  price: price === null ? null : BigInt(price),
  reason: price === null ? body : null,
});

/** Reads ticks as soon as they are committed, until it is stopped. */
export class TickReader {
  readonly seen: Seen[] = [];
  readonly #client: pg.PoolClient;
  #index = -1n;
  #reading: Promise<void> = Promise.resolve();

  private constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  static async start(db: pg.Pool): Promise<TickReader> {
    const reader = new TickReader(await db.connect());
    const { rows } = await reader.#client.query<{ size: string }>('select size from log_head');
    reader.#index = BigInt(rows[0]?.size ?? 0) - 1n;
    reader.#client.on('notification', () => {
      const seenMs = Date.now();
      reader.#reading = reader.#reading.then(() => reader.#read(seenMs));
    });
    await reader.#client.query('listen log');
    return reader;
  }

  async stop(): Promise<void> {
    await this.#client.query('unlisten log');
    await this.#reading;
    this.#client.release();
  }

  async #read(seenMs: number): Promise<void> {
    const { rows } = await this.#client.query<Row>(
      `select ${COLUMNS} ${TICKS_AND_GAPS} and l.index > $1 order by l.index`,
      [String(this.#index)],
    );
    for (const row of rows) this.seen.push({ ...entryOf(row), seenMs });
    this.#index = BigInt(rows.at(-1)?.index ?? this.#index);
  }
}

const centsOf = ({ price, decimals }: Entry): number => Number(price) / 10 ** (decimals - 2);

/**
 * Time in ms from the sending of a frame until a tick with it, or with a later one, could be read. Only frames sent while enough venues
 * for a price worked.
 */
export function frameToTick(market: StormyMarket, seen: readonly Seen[]): number[] {
  const times: number[] = [];
  for (const [symbol, ticks] of Map.groupBy(seen, (each) => each.symbol)) {
    const sources = EXCHANGE_SOURCES[symbol] ?? [];
    let last = Number.POSITIVE_INFINITY;
    for (const tick of ticks) {
      if (tick.price === null) continue;
      const cents = Math.floor(centsOf(tick));
      const good = market.good(sources, tick.timeMs - RECENT_MS, tick.timeMs);
      for (let frame = last + 1; good >= quorumOf(sources) && frame <= cents; frame += 1)
        times.push(tick.seenMs - (market.saidMs(frame) ?? Number.NaN));
      last = cents;
    }
  }
  return times;
}

/** From each gap `halt` that an erring venue explains to the next price: guards disagree with the others then. */
function haltsOf(
  market: StormyMarket,
  entries: readonly Entry[],
  venues: readonly string[],
): (readonly [number, number])[] {
  return entries.flatMap(({ reason, timeMs }, place) => {
    if (reason !== 'halt' || market.good(venues, timeMs - RECENT_MS, timeMs) === venues.length) return [];
    const next = entries.slice(place).find(({ price }) => price !== null);
    return [[timeMs, next?.timeMs ?? Number.POSITIVE_INFINITY] as const];
  });
}

/** What the log has of live products that it should not have: prices that no venue said then, and holes that no fault explains. */
export function faultsOf(
  market: StormyMarket,
  entries: readonly Entry[],
  [fromMs, toMs]: readonly [number, number],
): string[] {
  const faults: string[] = [];
  for (const [symbol, sources] of Object.entries(EXCHANGE_SOURCES)) {
    const own = entries.filter((entry) => entry.symbol === symbol);
    const ticks = new Set(own.flatMap(({ price, timeMs }) => (price === null ? [] : [timeMs])));
    const halts = haltsOf(market, own, [...sources, ...(GUARD_SOURCES[symbol] ?? [])]);
    const isHalted = (at: number) => halts.some(([from, to]) => at >= from && at <= to);
    for (const entry of own) {
      if (entry.price === null && entry.reason !== 'quorum' && !isHalted(entry.timeMs))
        faults.push(`${symbol} has a gap "${entry.reason}" at ${entry.timeMs}`);
      if (entry.price === null) continue;
      const age = entry.timeMs - (market.saidMs(centsOf(entry)) ?? Number.NaN);
      if (!(age >= -MOST_AHEAD_MS && age <= OLDEST_MS))
        faults.push(`${symbol} has a price of ${age} ms at ${entry.timeMs}`);
    }
    for (let at = Math.ceil(fromMs / GRID_MS) * GRID_MS; at < toMs; at += GRID_MS) {
      if (ticks.has(at) || isHalted(at) || market.good(sources, at - RECENT_MS, at) < quorumOf(sources))
        continue;
      faults.push(`${symbol} has no tick at ${at}, ${new Date(at).toISOString()}`);
    }
  }
  return faults;
}

/** All ticks and gaps of a span. */
export async function entriesOf(
  db: pg.Pool,
  [fromMs, toMs]: readonly [number, number],
): Promise<readonly Entry[]> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} ${TICKS_AND_GAPS} and l.time_ms >= $1 and l.time_ms < $2 order by l.index`,
    [fromMs, toMs],
  );
  return rows.map(entryOf);
}

/** Asks for a fix of each live product at a second, as an order does that opens then. */
export async function demandFixes(db: pg.Pool, fixMs: number): Promise<void> {
  await db.query(
    `insert into fixes_due (product_id, fix_ms) select id, $1 from products where symbol = any($2) on conflict do nothing`,
    [fixMs, Object.keys(EXCHANGE_SOURCES)],
  );
}

/** How many seconds still have no fix, or one with an open record. */
export async function unfixed(db: pg.Pool): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    `select (select count(*) from fixes_due) + (select count(*) from logged_fixes where is_open and close_index is null) as count`,
  );
  return Number(rows[0]?.count);
}

/** A written price in whole units of its last decimal, with further digits cut off. */
function cutTo(written: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = written.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals));
}

/** How many fixes and closes the log has, and what they have that the exchanges do not have on record. */
export function fixFaultsOf(
  exchanges: ReadonlyMap<string, PublicRecord>,
  texts: readonly string[],
): { count: number; faults: string[] } {
  const fixes = texts.flatMap((text) => {
    const entry = parseEntry(text);
    return entry?.kind === 'fix' || entry?.kind === 'close' ? [entry] : [];
  });
  const faults = fixes.flatMap(({ kind, symbol, fixMs, records, decimals }) =>
    records.flatMap((part) => {
      const [last, next] = exchanges.get(part.source)?.at(fixMs, symbol.split('/')[0]) ?? [];
      const isSame = (said: { number: bigint; timeMs: number; price: bigint }, trade: typeof last) =>
        trade !== undefined &&
        said.number === trade.number &&
        said.timeMs === trade.timeMs &&
        said.price === cutTo(trade.price, decimals);
      const isOpen = hasRecord(part) && part.closing.by === 'open';
      // An open record may be an earlier one: the close states it again.
      if (kind === 'fix' && (isOpen || part.use === 'none')) return [];
      const isRight =
        hasRecord(part) &&
        isSame(part.last, last) &&
        (part.closing.by !== 'next' || isSame(part.closing.next, next));
      return isRight ? [] : [`${kind} of ${symbol} at ${fixMs} has of ${part.source}: ${part.use}`];
    }),
  );
  return { count: fixes.length, faults };
}
