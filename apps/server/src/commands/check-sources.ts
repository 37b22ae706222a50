import { setTimeout as sleep } from 'node:timers/promises';
import { CATALOGUE } from '../market/catalogue/catalogue.ts';
import { LIVE_SOURCES, listingsOf, quorumOf } from '../market/feeds/live/live-products.ts';
import { QuoteBoard } from '../market/feeds/live/quote-board.ts';
import { readSourcesFile } from '../market/feeds/live/sources-file.ts';
import type { Venue } from '../market/feeds/live/venue.ts';
import { VenueSocket } from '../market/feeds/live/venue-socket.ts';
import { VENUES } from '../market/feeds/live/venues.ts';
import { type Command, NO_WARNING } from './command.ts';

const SECONDS = 20;
const MOST_SECONDS = 600;
const STEP_MS = 250;

export const CHECK_SOURCES: Command = {
  name: 'check-sources',
  needs: [],
  options: { seconds: { type: 'string' } },
  usage: '[--seconds N]',
  does: 'Connects to every source of live prices and says what it sends; no database is needed',
  help: `Reads SOURCES_FILE where it is set. Prints a line for each source: markets with a price, prices a second, how long after the source's own
time they come in the last minute (median, 99th percentile and least, which is below zero where this clock is behind), and the last fault. Exits with 1 when a product has no quorum of sources.`,
  warning: NO_WARNING,
  failure: 'The sources were not checked',
  async run({ values }) {
    const seconds = secondsOf(values.seconds);
    const file = readSourcesFile(process.env.SOURCES_FILE || null);
    const watched = VENUES.map((venue) => watch(venue, file[venue.source]?.url));
    for (let step = 0; step < (seconds * 1_000) / STEP_MS; step += 1) {
      await sleep(STEP_MS);
      for (const one of watched) one.look();
    }
    for (const { socket } of watched) socket.stop();
    for (const one of watched) console.log(one.line(seconds));
    return report(new Map(watched.map(({ source, priced }) => [source, priced])));
  },
};

function secondsOf(text: unknown): number {
  if (text === undefined) return SECONDS;
  if (typeof text !== 'string' || !/^[1-9]\d{0,2}$/.test(text) || Number(text) > MOST_SECONDS)
    throw new Error(`--seconds must be from 1 to ${MOST_SECONDS}, not "${text}"`);
  return Number(text);
}

function watch(venue: Venue, url: string | undefined) {
  const { source } = venue;
  const products = CATALOGUE.flatMap(({ symbol, decimals }, id) =>
    LIVE_SOURCES[symbol]?.includes(source) ? [{ id, symbol, decimals }] : [],
  );
  const listings = listingsOf(venue, products);
  const board = new QuoteBoard(source, listings);
  const priced = new Set<string>();
  let fault: string | null = null;
  const socket = new VenueSocket({
    venue,
    ...(url === undefined ? {} : { url }),
    markets: [...listings.keys()],
    tell: {
      events: (events) => {
        board.apply(events, Date.now());
        for (const event of events) if (event.kind === 'refused') fault = event.why;
      },
      fault: (why) => {
        fault = why;
      },
      connected: () => {},
    },
  });
  socket.start();
  const look = () => {
    for (const { productId } of board.take(Date.now())) {
      const symbol = CATALOGUE[productId]?.symbol;
      if (symbol) priced.add(symbol);
    }
  };
  const line = (seconds: number) => {
    const { prices, lagP50, lagP99, clockMs } = board.counts.read(Date.now());
    return [
      source.padEnd(9),
      `${priced.size} of ${listings.size} markets`,
      `${(prices / seconds).toFixed(1)} prices/s`,
      lagP50 === null ? 'no lag' : `lag ${lagP50}, ${lagP99} ms, at least ${clockMs}`,
      fault ?? 'no fault',
    ].join('  ');
  };
  return { source, socket, priced, look, line };
}

/** Says which products have a quorum. @returns the exit code */
function report(priced: ReadonlyMap<string, ReadonlySet<string>>): number {
  const short = Object.entries(LIVE_SOURCES).filter(
    ([symbol, sources]) =>
      sources.filter((source) => priced.get(source)?.has(symbol)).length < quorumOf(sources),
  );
  if (short.length === 0) console.log('every product has a quorum');
  else console.log(`no quorum: ${short.map(([symbol]) => symbol).join(', ')}`);
  return short.length === 0 ? 0 : 1;
}
