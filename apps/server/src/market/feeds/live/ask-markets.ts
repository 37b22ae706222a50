import { setTimeout as sleep } from 'node:timers/promises';
import type { Points } from '@fairtick/money';
import { listingsOf, type Sourced } from './live-products.ts';
import { QuoteBoard } from './quote-board.ts';
import { accessOf, type SourcesFile, venuesOf } from './sources-file.ts';
import { VenueConnection } from './venue-connection.ts';

const MOST_MS = 10_000;
const STEP_MS = 250;
/** Sources further apart than this, in 1/10 000, don't price the same thing. */
const MOST_APART_BPS = 200n;
const BPS = 10_000n;
/** With fewer points one point is more than a tenth of a percent; with more the log can't state the price. */
const [LEAST_POINTS, MOST_POINTS] = [1_000n, 10n ** 13n];

/** Asks each source of a product, with a connection of its own, for a price. @returns null where none came in ten seconds */
export async function askMarkets(
  product: Sourced & { readonly decimals: number },
  file: SourcesFile,
): Promise<ReadonlyMap<string, Points | null>> {
  const id = 0;
  const { sources, guards } = product.listing;
  const asked = venuesOf(file)
    .filter(({ source }) => Object.hasOwn(sources, source) || Object.hasOwn(guards, source))
    .map((venue) => {
      const access = accessOf(venue, file);
      const listings = listingsOf(venue, [{ ...product, id }]);
      const board = new QuoteBoard(venue.source, listings);
      const connection =
        access &&
        new VenueConnection({
          venue,
          access,
          markets: [...listings.keys()],
          tell: { events: (events) => board.apply(events, Date.now()), fault: () => {}, connected: () => {} },
        });
      connection?.start();
      return { source: venue.source, board, connection };
    });
  const priceOf = ({ board }: (typeof asked)[number]) => board.priced(Date.now()).get(id) ?? null;
  const isOver = () => asked.every((one) => one.connection === null || priceOf(one) !== null);
  for (let waitedMs = 0; waitedMs < MOST_MS && !isOver(); waitedMs += STEP_MS) await sleep(STEP_MS);
  const prices = new Map(asked.map((one) => [one.source, priceOf(one)]));
  for (const { connection } of asked) connection?.stop();
  return prices;
}

/** The first source whose price is missing, has too few or too many points, or is far from the first source's; null: all fit. */
export function unfitSource(prices: ReadonlyMap<string, Points | null>): string | null {
  const [first] = prices.values();
  const fits = (price: Points | null) =>
    price != null &&
    first != null &&
    price >= LEAST_POINTS &&
    price <= MOST_POINTS &&
    (price > first ? price - first : first - price) * BPS <= first * MOST_APART_BPS;
  return [...prices].find(([, price]) => !fits(price))?.[0] ?? null;
}
