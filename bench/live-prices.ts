import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { openInstallation } from '@fairtick/kit/processes/role-processes.ts';
import { FRAMES } from '@fairtick/kit/venues/frames.ts';
import { renamed } from '@fairtick/kit/venues/renamed.ts';
import { frameToTick, TickReader } from '@fairtick/kit/venues/soak-judge.ts';
import { StormyMarket } from '@fairtick/kit/venues/stormy-market.ts';
import { openVenues } from '@fairtick/kit/venues/venue-market.ts';
import { WebSocket } from 'ws';
import { EXCHANGE_SOURCES } from '../apps/server/src/market/feeds/live/live-products.ts';
import { QuoteBoard } from '../apps/server/src/market/feeds/live/quote-board.ts';
import type { VenueEvent } from '../apps/server/src/market/feeds/live/venue.ts';
import { VenueConnection } from '../apps/server/src/market/feeds/live/venue-connection.ts';
import { VENUES } from '../apps/server/src/market/feeds/live/venues.ts';
import { percentile } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * The processor's time that live prices take: six venues that each send the frames of ten products fifty times a second, read as the feed
 * reads them, beside a bare client of `ws` that counts the same frames. And how soon a frame is in the log: the same venues, and a feed as
 * a process of its own.
 */
const PRODUCTS = 10;
const A_SECOND = 50;
const SECONDS = sized(20, 3);
const GRID_MS = 250;

if (process.argv[2] === 'venues') await sendFrames();
else await measure();

/** In a process of its own, so that sending is not measured. Prints the addresses. */
async function sendFrames(): Promise<void> {
  const venues = await openVenues();
  console.log(JSON.stringify(Object.fromEntries([...venues].map(([source, { url }]) => [source, url]))));
  let order = 1_000;
  setInterval(() => {
    order += 1;
    const said = { bid: `65000.${order % 100}`, ask: `65001.${order % 100}`, atMs: Date.now(), order };
    for (const [source, venue] of venues) {
      const text = FRAMES[source]?.price(said) ?? '';
      for (let product = 0; product < PRODUCTS; product += 1) venue.say(renamed(text, `${product}TC`));
    }
  }, 1_000 / A_SECOND);
}

async function measure(): Promise<void> {
  const child = spawn(process.execPath, [import.meta.filename, 'venues'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const urls = JSON.parse(line.toString()) as Readonly<Record<string, string>>;
  const bare = await share(() => countFrames(urls));
  const ours = await share(() => readPrices(urls));
  child.kill();
  const perFrame = (run: { cpu: number; frames: number }) => (run.cpu / run.frames) * 1_000;
  console.log(`bare ws    ${percent(bare.cpu)} of a core, ${(bare.frames / SECONDS).toFixed(0)} frames/s`);
  console.log(`live feed  ${percent(ours.cpu)} of a core, ${(ours.frames / SECONDS).toFixed(0)} frames/s`);
  console.log(
    `ratio      ${(perFrame(ours) / perFrame(bare)).toFixed(2)} × the bare client's time for a frame`,
  );
  const times = await timesToTick();
  console.log(
    `a frame in the log  p50 ${percentile(times, 0.5)} ms, p99 ${percentile(times, 0.99)} ms, of ${times.length} frames; a tick is due every ${GRID_MS} ms`,
  );
}

/** Time from each frame's sending until a tick with it could be read. */
async function timesToTick(): Promise<number[]> {
  const bases = Object.keys(EXCHANGE_SOURCES).map((symbol) => symbol.split('/')[0] as string);
  const house = await openInstallation();
  const market = await StormyMarket.open({ bases, random: new Random(1) });
  try {
    const feed = await house.start('feed', { FEED: 'live', SOURCES_FILE: market.file });
    await feed.untilReady();
    await sleep(5_000);
    const reader = await TickReader.start(house.db);
    await sleep(SECONDS * 1_000);
    await reader.stop();
    return frameToTick(market, reader.seen);
  } finally {
    await house.close();
    await market.close();
  }
}

function percent(cpuMs: number): string {
  return `${(cpuMs / SECONDS / 10).toFixed(1)} %`;
}

/** Milliseconds of the processor while the clients run, and the frames that they read. */
async function share(
  open: () => { readonly frames: () => number; readonly step: () => void; readonly close: () => void },
): Promise<{ cpu: number; frames: number }> {
  const client = open();
  await sleep(1_000);
  const [before, framesBefore] = [process.cpuUsage(), client.frames()];
  for (let step = 0; step < (SECONDS * 1_000) / GRID_MS; step += 1) {
    await sleep(GRID_MS);
    client.step();
  }
  const { user, system } = process.cpuUsage(before);
  const frames = client.frames() - framesBefore;
  client.close();
  return { cpu: (user + system) / 1_000, frames };
}

function countFrames(urls: Readonly<Record<string, string>>) {
  let count = 0;
  const sockets = Object.values(urls).map((url) =>
    new WebSocket(url, { perMessageDeflate: false }).on('message', () => {
      count += 1;
    }),
  );
  return { frames: () => count, step: () => {}, close: () => sockets.forEach((one) => void one.terminate()) };
}

function readPrices(urls: Readonly<Record<string, string>>) {
  let count = 0;
  const parts = VENUES.filter(({ source }) => source in urls).map((venue) => {
    const markets = Array.from({ length: PRODUCTS }, (_, product) =>
      renamed(FRAMES[venue.source]?.market ?? '', `${product}TC`),
    );
    const board = new QuoteBoard(
      venue.source,
      new Map(markets.map((market, productId) => [market, { productId, decimals: 2 }])),
    );
    const events = (said: readonly VenueEvent[]) => {
      count += said.filter(({ kind }) => kind === 'price').length;
      return board.apply(said, Date.now());
    };
    const tell = { events, fault: (why: string) => console.log(why), connected: () => {} };
    const access = { url: urls[venue.source] as string, key: '', account: '' };
    const connection = new VenueConnection({ venue, access, markets, tell });
    connection.start();
    return { board, connection };
  });
  return {
    frames: () => count,
    step: () => {
      for (const { board } of parts) board.take(Date.now());
    },
    close: () => {
      for (const { connection } of parts) connection.stop();
    },
  };
}
