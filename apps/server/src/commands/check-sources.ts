import { setTimeout as sleep } from 'node:timers/promises';
import { RECORD_VENUES, type VenueRecord } from '@fairtick/proof';
import { CATALOGUE } from '../market/catalogue/catalogue.ts';
import { guardsOf, listingsOf, quorumOf, usableSources } from '../market/feeds/live/live-products.ts';
import { factsLine, measureHistory } from '../market/feeds/live/measure-history.ts';
import { openLines } from '../market/feeds/live/open-lines.ts';
import { programListing } from '../market/feeds/live/program-listing.ts';
import { QuoteBoard } from '../market/feeds/live/quote-board.ts';
import { accessOf, readSourcesFile, type SourcesFile, venuesOf } from '../market/feeds/live/sources-file.ts';
import type { Access, Venue } from '../market/feeds/live/venue.ts';
import { VenueConnection } from '../market/feeds/live/venue-connection.ts';
import { VENUES } from '../market/feeds/live/venues.ts';
import type { Command } from './command.ts';

/** Without those that the office added. */
const PRODUCTS = CATALOGUE.map((product, id) => ({ ...product, id, listing: programListing(product) }));
const SECONDS = 20;
const MOST_SECONDS = 600;
const STEP_MS = 250;
const MEASURED = 'BTC/USDT';
const MOST_HEARD = 10_000;

export const CHECK_SOURCES: Command = {
  name: 'check-sources',
  options: { seconds: { type: 'string' }, live: { type: 'boolean' } },
  usage: '[--seconds N] [--live]',
  does: 'Connects to every source of live prices, asks the histories, and says what they send; no database is needed',
  help: `Reads SOURCES_FILE where it is set. Prints a line for each source: markets with a price, prices a second, how long after the source's own
time they come in the last minute (median, 99th percentile and least, which is below zero where this clock is behind), and the last fault; and
names the sources that lack a key. Then a line for the history of each exchange that settles: how many of its newest numbers follow each other, whether it
answers by number and by time, how far back, which pages may read it, its clock and whether the stream said the same. Exits with 1 when a product that has sources has no quorum of them.
With --live, or with MODE=live, only sources count that may be published and may settle, as in live mode, and it exits with 1 also when no product is open.`,
  failure: 'The sources were not checked',
  async run({ values }) {
    const seconds = secondsOf(values.seconds);
    const mode = values.live === true || process.env.MODE === 'live' ? 'live' : 'demo';
    const file = readSourcesFile(process.env.SOURCES_FILE || null);
    const watched = venuesOf(file).flatMap((venue) => {
      const access = accessOf(venue, file);
      return access === null ? [] : [watch(venue, access, file)];
    });
    for (let step = 0; step < (seconds * 1_000) / STEP_MS; step += 1) {
      await sleep(STEP_MS);
      for (const one of watched) one.look();
    }
    for (const { connection } of watched) connection.stop();
    for (const one of watched) console.log(one.line(seconds));
    for (const line of missing(file)) console.log(line);
    for (const line of await histories(file, watched)) console.log(line);
    return report(file, mode, new Map(watched.map(({ source, priced }) => [source, priced])));
  },
};

function secondsOf(text: unknown): number {
  if (text === undefined) return SECONDS;
  if (typeof text !== 'string' || !/^[1-9]\d{0,2}$/.test(text) || Number(text) > MOST_SECONDS)
    throw new Error(`--seconds must be from 1 to ${MOST_SECONDS}, not "${text}"`);
  return Number(text);
}

function watch(venue: Venue, access: Access, file: SourcesFile) {
  const { source } = venue;
  const products = PRODUCTS.filter((product) =>
    [...usableSources(product, file, 'demo'), ...guardsOf(product, file)].includes(source),
  );
  const listings = listingsOf(venue, products);
  const board = new QuoteBoard(source, listings);
  const priced = new Set<string>();
  const heard: VenueRecord[] = [];
  let fault: string | null = null;
  const connection = new VenueConnection({
    venue,
    access,
    markets: [...listings.keys()],
    tell: {
      events: (events) => {
        for (const event of events)
          if (event.kind === 'record' && listings.get(event.market)?.symbol === MEASURED)
            heard.push({ number: event.number, timeMs: event.sourceMs, price: event.price });
        heard.splice(0, heard.length - MOST_HEARD);
        return board.apply(events, Date.now());
      },
      fault: (why) => {
        fault = why;
      },
      connected: () => {},
    },
  });
  connection.start();
  const look = () => {
    for (const { productId } of board.take(Date.now())) {
      const symbol = PRODUCTS[productId]?.symbol;
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
  return { source, connection, priced, heard, look, line };
}

function histories(
  file: SourcesFile,
  watched: readonly { readonly source: string; readonly heard: readonly VenueRecord[] }[],
): Promise<string[]> {
  return Promise.all(
    RECORD_VENUES.map(async (venue) => {
      const heard = watched.find(({ source }) => source === venue.source)?.heard ?? [];
      const origin = file[venue.source]?.historyUrl;
      const facts = await measureHistory(venue, { symbol: MEASURED, origin, heard });
      return `${venue.source.padEnd(9)}  history: ${typeof facts === 'string' ? facts : factsLine(facts)}`;
    }),
  );
}

function missing(file: SourcesFile): string[] {
  return VENUES.flatMap((venue) => {
    const lacks = (venue.needs ?? []).filter((need) => file[venue.source]?.[need] === undefined);
    return lacks.length === 0 ? [] : [`${venue.source.padEnd(9)}  not used: no ${lacks.join(' and no ')}`];
  });
}

/** @returns the exit code */
function report(
  file: SourcesFile,
  mode: 'demo' | 'live',
  priced: ReadonlyMap<string, ReadonlySet<string>>,
): number {
  const had = PRODUCTS.filter(({ listing }) => Object.keys(listing.sources).length > 0).map((product) => ({
    symbol: product.symbol,
    sources: usableSources(product, file, mode),
  }));
  const short = had.filter(
    ({ symbol, sources }) =>
      sources.length > 0 &&
      sources.filter((source) => priced.get(source)?.has(symbol)).length < quorumOf(sources),
  );
  for (const line of openLines(file, mode)) console.log(line);
  if (mode === 'live' && had.every(({ sources }) => sources.length === 0)) return 1;
  if (short.length === 0) console.log('every product that has sources has a quorum');
  else console.log(`no quorum: ${short.map(({ symbol }) => symbol).join(', ')}`);
  return short.length === 0 ? 0 : 1;
}
