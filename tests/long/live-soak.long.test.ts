import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { heapOf, INSPECTED, processorMsOf } from '@fairtick/kit/processes/process-figures.ts';
import { openInstallation } from '@fairtick/kit/processes/role-processes.ts';
import { faultsOfLog } from '@fairtick/kit/processes/six-processes.ts';
import { FRAMES } from '@fairtick/kit/venues/frames.ts';
import { renamed } from '@fairtick/kit/venues/renamed.ts';
import { entriesOf, faultsOf, frameToTick, TickReader } from '@fairtick/kit/venues/soak-judge.ts';
import { StormyMarket } from '@fairtick/kit/venues/stormy-market.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { expect, test } from 'vitest';
import { EXCHANGE_SOURCES } from '../../apps/server/src/market/feeds/live/live-products.ts';
import { QuoteBoard } from '../../apps/server/src/market/feeds/live/quote-board.ts';
import { readFrame } from '../../apps/server/src/market/feeds/live/venue.ts';
import { VENUES } from '../../apps/server/src/market/feeds/live/venues.ts';

/**
 * Live prices for long: six venues send the frames of ten products fifty times a second and fail at random. The feed is a process of its
 * own. MINUTES sets how long, SEED repeats the faults. FAST_MINUTES are minutes of frames for readers and boards alone, as fast as they read.
 */
const MINUTES = Number(process.env.MINUTES ?? 6);
const FAST_MINUTES = Number(process.env.FAST_MINUTES ?? 30);
const SEED = Number(process.env.SEED ?? 1);
const BASES = Object.keys(EXCHANGE_SOURCES).map((symbol) => symbol.split('/')[0] as string);

const MIB = 2 ** 20;
/** Code that is compiled and caches that are filled make a heap grow at first. */
const WARM_MS = 60_000;
/** What the feed may keep more from the middle to the end. */
const MOST_GROWN = 3 * MIB;
const MOST_FRAME_TO_TICK_MS = 300;

const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
const mib = (bytes: number): string => (bytes / MIB).toFixed(2);

test('the feed keeps its memory, its grid and its time while venues fail', async () => {
  const house = await openInstallation();
  const market = await StormyMarket.open({ bases: BASES, random: new Random(SEED) });
  try {
    const feed = await house.start('feed', { FEED: 'live', SOURCES_FILE: market.file, ...INSPECTED });
    await feed.untilReady();
    const priced = async () => {
      const { rows } = await house.db.query<{ count: string }>(
        `select count(distinct product_id) from log_entries where kind = log_kind('tick')`,
      );
      return Number(rows[0]?.count) === BASES.length;
    };
    // As if customers looked at them: then a price is due at every grid time.
    await house.db.query(
      `insert into watched_products (product_id, until)
       select id, now() + interval '1 day' from products where symbol = any($1)`,
      [Object.keys(EXCHANGE_SOURCES)],
    );
    await seen(priced, { everyMs: 250, what: 'a price of each product' });
    await sleep(WARM_MS / 2);
    market.begin();
    await sleep(WARM_MS / 2);
    const reader = await TickReader.start(house.db);
    const startedMs = Date.now();
    const processorMs = processorMsOf(feed.pid);
    const heaps: { readonly atMs: number; readonly bytes: number }[] = [];
    const endMs = startedMs + MINUTES * 60_000;
    const everyMs = Math.max(10_000, (endMs - startedMs) / 20);
    for (let atMs = startedMs; atMs <= endMs; atMs += everyMs) {
      await sleep(Math.max(0, atMs - Date.now()));
      heaps.push({ atMs, bytes: await heapOf(feed) });
    }
    const spentMs = processorMsOf(feed.pid) - processorMs;
    await reader.stop();
    const span = [startedMs, Date.now() - 1_000] as const;
    const entries = await entriesOf(house.db, span);
    const times = frameToTick(market, reader.seen).sort((a, b) => a - b);
    const [begin, middle, end] = [0, heaps.length >> 1, heaps.length - 1].map(
      (at) => heaps[at]?.bytes ?? 0,
    ) as [number, number, number];
    const gaps = entries.filter(({ price }) => price === null).length;
    console.log(
      [
        `${MINUTES} minutes, seed ${SEED}: ${JSON.stringify(Object.fromEntries(market.faults))}`,
        `${entries.length - gaps} ticks, ${gaps} gaps`,
        `heap after collection: ${mib(begin)} MiB, ${mib(middle)} in the middle, ${mib(end)} at the end`,
        `all: ${heaps.map(({ bytes }) => mib(bytes)).join(' ')}; slope of the second half ${mib(slopeOf(heaps.slice(middle ? heaps.length >> 1 : 0)) * 3_600_000)} MiB/h`,
        `frame to tick: p50 ${share(times, 0.5)} ms, p99 ${share(times, 0.99)} ms, of ${times.length} frames`,
        `processor: ${((100 * spentMs) / (span[1] - span[0])).toFixed(1)} % of a core`,
      ].join('\n'),
    );
    expect(faultsOf(market, entries, span)).toEqual([]);
    expect(await faultsOfLog(house)).toEqual([]);
    expect(end - middle).toBeLessThan(MOST_GROWN);
    expect(times.length).toBeGreaterThan(0);
    expect(share(times, 0.99)).toBeLessThan(MOST_FRAME_TO_TICK_MS);
  } finally {
    await house.close();
    await market.close();
  }
});

/** Bytes a millisecond, by least squares. */
function slopeOf(heaps: readonly { readonly atMs: number; readonly bytes: number }[]): number {
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
  const steps = Math.round(FAST_MINUTES * 60) * 50;
  const beganMs = performance.now();
  for (let step = 0; step < steps; step += 1) {
    const nowMs = startMs + step * 20;
    if (step % Math.floor(steps / 10) === 0) {
      for (const { board } of venues) board.take(nowMs);
      collect();
      heaps.push(process.memoryUsage().heapUsed);
    }
    const price = (60_000 + (step % 1_000_000) / 100).toFixed(2);
    for (const { source, read, board } of venues) {
      const text = FRAMES[source]?.price({ bid: price, ask: price, atMs: nowMs, order: 1_000 + step }) ?? '';
      for (const base of BASES) board.apply(read(readFrame(renamed(text, base))), nowMs);
      // The feed is asked for minutes at times, as a standby is.
      if (step % 13 === 0 && step % 100_000 > 50_000) board.take(nowMs);
    }
  }
  for (const { source, board } of venues) {
    const quotes = board.take(startMs + steps * 20).map(({ quote }) => quote);
    const { prices, ignored } = board.counts.read(Date.now());
    expect([source, prices, ignored]).toEqual([source, steps * BASES.length, 0]);
    expect(quotes.at(-1)?.receivedMs).toBe(startMs + (steps - 1) * 20);
  }
  const [warm, end] = [heaps[2] ?? 0, heaps.at(-1) ?? 0];
  const seconds = (performance.now() - beganMs) / 1_000;
  console.log(
    `${FAST_MINUTES} minutes of frames in ${seconds.toFixed(0)} s; heap after collection, MiB: ${heaps.map(mib).join(' ')}`,
  );
  expect(end - warm).toBeLessThan(MOST_GROWN);
});
