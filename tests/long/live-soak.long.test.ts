import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { heapOf, INSPECTED, processorMsOf } from '@fairtick/kit/processes/process-figures.ts';
import {
  type Installation,
  openInstallation,
  type RoleProcess,
} from '@fairtick/kit/processes/role-processes.ts';
import { faultsOfLog } from '@fairtick/kit/processes/six-processes.ts';
import { FRAMES } from '@fairtick/kit/venues/frames.ts';
import { renamed } from '@fairtick/kit/venues/renamed.ts';
import {
  demandFixes,
  entriesOf,
  faultsOf,
  fixFaultsOf,
  frameToTick,
  TickReader,
  unfixed,
} from '@fairtick/kit/venues/soak-judge.ts';
import { StormyMarket } from '@fairtick/kit/venues/stormy-market.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { expect, test } from 'vitest';
import { EXCHANGE_SOURCES } from '../../apps/server/src/market/feeds/live/live-products.ts';
import { QuoteBoard } from '../../apps/server/src/market/feeds/live/quote-board.ts';
import { readFrame } from '../../apps/server/src/market/feeds/live/venue.ts';
import { VENUES } from '../../apps/server/src/market/feeds/live/venues.ts';

/**
 * Live prices for long: all exchanges send the frames of all their products fifty times a second and fail at random. The feed is a process of its
 * own. MINUTES sets how long, SEED repeats the faults. FAST_MINUTES are minutes of five frames a second for readers and boards alone, as fast as they read.
 */
const MINUTES = Number(process.env.MINUTES ?? 6);
const FAST_MINUTES = Number(process.env.FAST_MINUTES ?? 60);
const SEED = Number(process.env.SEED ?? 1);
const BASES = Object.keys(EXCHANGE_SOURCES).map((symbol) => symbol.split('/')[0] as string);

/** More than one for each grid time. */
const FAST_A_SECOND = 5;
const FAST_EVERY_MS = 1_000 / FAST_A_SECOND;

const MIB = 2 ** 20;
/** Code that is compiled and caches that are filled make a heap grow at first. */
const WARM_MS = 60_000;
/** What the feed may keep more from the middle to the end. */
const MOST_GROWN = 3 * MIB;
const MOST_FRAME_TO_TICK_MS = 300;
/** How often all products get a fix, and how long the last of them may wait once no venue fails any more. */
const FIX_EVERY_MS = 5_000;
const FIXED = { everyMs: 1_000, withinMs: 300_000, what: 'all fixes and their closes' };
/** A collection stops the feed for a moment. */
const LOOKS = 10;

const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
const mib = (bytes: number): string => (bytes / MIB).toFixed(2);

interface Heap {
  readonly atMs: number;
  readonly bytes: number;
}

test('the feed keeps its memory, its grid and its time while venues fail', async () => {
  const house = await openInstallation();
  const market = await StormyMarket.open({ bases: BASES, random: new Random(SEED) });
  try {
    const feed = await house.start('feed', { FEED: 'live', SOURCES_FILE: market.file, ...INSPECTED });
    await feed.untilReady();
    await watchProducts(house);
    await sleep(WARM_MS / 2);
    market.begin();
    await sleep(WARM_MS / 2);
    const reader = await TickReader.start(house.db);
    const startedMs = Date.now();
    const processorMs = processorMsOf(feed.pid);
    const fixes = setInterval(() => void demandFixes(house.db, nextSecond()), FIX_EVERY_MS);
    const heaps = await heapsOf(feed, startedMs).finally(() => clearInterval(fixes));
    const spentMs = processorMsOf(feed.pid) - processorMs;
    await reader.stop();
    const span = [startedMs, Date.now()] as const;
    await seen(async () => (await timeOf(house)) > span[1], { everyMs: 250, what: 'the end of the log' });
    const entries = await entriesOf(house.db, span);
    market.calm();
    await seen(async () => (await unfixed(house.db)) === 0, FIXED);
    const fixed = fixFaultsOf(market.records, await fixTextsOf(house));
    const times = frameToTick(market, reader.seen).sort((a, b) => a - b);
    const half = heaps.slice(heaps.length >> 1);
    const grown = (half.at(-1)?.bytes ?? 0) - (half[0]?.bytes ?? 0);
    const gaps = entries.filter(({ price }) => price === null).length;
    console.log(
      [
        `${MINUTES} minutes, seed ${SEED}: ${JSON.stringify(Object.fromEntries(market.faults))}`,
        `${entries.length - gaps} ticks, ${gaps} gaps; ${fixed.count} fixes and closes`,
        `heap after collection, MiB: ${heaps.map(({ bytes }) => mib(bytes)).join(' ')}; ${mib(slopeOf(half) * 3_600_000)} an hour in the second half`,
        `frame to tick: p50 ${share(times, 0.5)} ms, p99 ${share(times, 0.99)} ms, of ${times.length} frames`,
        `processor: ${((100 * spentMs) / (span[1] - span[0])).toFixed(1)} % of a core`,
      ].join('\n'),
    );
    expect(fixed.count).toBeGreaterThan(0);
    expect(fixed.faults).toEqual([]);
    expect(faultsOf(market, entries, span)).toEqual([]);
    expect(await faultsOfLog(house)).toEqual([]);
    expect(grown).toBeLessThan(MOST_GROWN);
    expect(times.length).toBeGreaterThan(0);
    expect(share(times, 0.99)).toBeLessThan(MOST_FRAME_TO_TICK_MS);
  } finally {
    await house.close();
    await market.close();
  }
});

/** As if customers looked at all live products: then a price is due at every grid time. Waits until each has one. */
async function watchProducts({ db }: Installation): Promise<void> {
  await db.query(
    `insert into watched_products (product_id, until)
     select id, now() + interval '1 day' from products where symbol = any($1)`,
    [Object.keys(EXCHANGE_SOURCES)],
  );
  const isPriced = async () => {
    const { rows } = await db.query<{ count: string }>(
      `select count(distinct product_id) from log_entries where kind = log_kind('tick')`,
    );
    return Number(rows[0]?.count) === BASES.length;
  };
  await seen(isPriced, { everyMs: 250, what: 'a price of each product' });
}

/** A whole second that is not over: an order names a time ahead. */
const nextSecond = (): number => Math.ceil(Date.now() / 1_000) * 1_000 + 2_000;

async function fixTextsOf({ db }: Installation): Promise<string[]> {
  const { rows } = await db.query<{ body: string }>(
    `select body from log_entries where kind in (log_kind('fix'), log_kind('close')) order by index`,
  );
  return rows.map(({ body }) => body);
}

async function timeOf({ db }: Installation): Promise<number> {
  const { rows } = await db.query<{ time: string }>('select time_ms as time from log_head');
  return Number(rows[0]?.time);
}

/** Its heap from time to time, until the run is over. */
async function heapsOf(feed: RoleProcess, startedMs: number): Promise<Heap[]> {
  const heaps: Heap[] = [];
  for (let look = 0; look <= LOOKS; look += 1) {
    const atMs = startedMs + (look * MINUTES * 60_000) / LOOKS;
    await sleep(Math.max(0, atMs - Date.now()));
    heaps.push({ atMs, bytes: await heapOf(feed) });
  }
  return heaps;
}

/** Bytes a millisecond, by least squares. */
function slopeOf(heaps: readonly Heap[]): number {
  const mean = (of: readonly number[]) => of.reduce((sum, each) => sum + each, 0) / of.length;
  const [x, y] = [mean(heaps.map(({ atMs }) => atMs)), mean(heaps.map(({ bytes }) => bytes))];
  const above = heaps.reduce((sum, { atMs, bytes }) => sum + (atMs - x) * (bytes - y), 0);
  return above / heaps.reduce((sum, { atMs }) => sum + (atMs - x) ** 2, 0);
}

test('readers and boards keep their memory over hours of frames', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const startMs = Date.UTC(2026, 5, 1);
  const venues = VENUES.filter(({ source }) => source in FRAMES).map((venue) => {
    const markets = BASES.map((base) => venue.marketOf(base, 'USDT'));
    const listings = markets.map((market, productId) => [market, { productId, decimals: 2 }] as const);
    return {
      source: venue.source,
      read: venue.reader(new Set(markets)),
      board: new QuoteBoard(venue.source, new Map(listings)),
    };
  });
  const heaps: number[] = [];
  const steps = Math.round(FAST_MINUTES * 60) * FAST_A_SECOND;
  const beganMs = performance.now();
  for (let step = 0; step < steps; step += 1) {
    const nowMs = startMs + step * FAST_EVERY_MS;
    if (step % Math.floor(steps / 10) === 0) {
      for (const { board } of venues) board.take(nowMs);
      collect();
      heaps.push(process.memoryUsage().heapUsed);
    }
    const price = (60_000 + (step % 1_000_000) / 100).toFixed(2);
    for (const { source, read, board } of venues) {
      const text = FRAMES[source]?.price({ bid: price, ask: price, atMs: nowMs, order: 1_000 + step }) ?? '';
      for (const base of BASES) board.apply(read(readFrame(renamed(text, base))), nowMs);
      // For minutes nobody asks, as with a standby.
      if (step % 2 === 0 && step % 3_000 > 1_500) board.take(nowMs);
    }
  }
  for (const { source, board } of venues) {
    const quotes = board.take(startMs + steps * FAST_EVERY_MS).map(({ quote }) => quote);
    const { prices, ignored } = board.counts.read(Date.now());
    expect([source, prices, ignored]).toEqual([source, steps * BASES.length, 0]);
    expect(quotes.at(-1)?.receivedMs).toBe(startMs + (steps - 1) * FAST_EVERY_MS);
  }
  const [warm, end] = [heaps[2] ?? 0, heaps.at(-1) ?? 0];
  const seconds = (performance.now() - beganMs) / 1_000;
  console.log(
    `${FAST_MINUTES} minutes of frames in ${seconds.toFixed(0)} s; heap after collection, MiB: ${heaps.map(mib).join(' ')}`,
  );
  expect(end - warm).toBeLessThan(MOST_GROWN);
});
