import { QuoteBoard } from '../../../apps/server/src/market/feeds/live/quote-board.ts';
import type { Venue, VenueEvent } from '../../../apps/server/src/market/feeds/live/venue.ts';
import { VenueConnection } from '../../../apps/server/src/market/feeds/live/venue-connection.ts';
import { pythVenue } from '../../../apps/server/src/market/feeds/live/venues/pyth.ts';
import { VENUES } from '../../../apps/server/src/market/feeds/live/venues.ts';
import type { Quote } from '../../../packages/trading/src/index.ts';
import { seen, until } from '../waiting/until.ts';
import { ALL_FRAMES, FRAME_KEYS, type FrameOf } from './frames.ts';
import { VENUE_ACCOUNT, VENUE_KEY } from './venue-market.ts';
import { VenueServer } from './venue-server.ts';

/** All venues by source. Those of Pyth are read with the keys of the tests' frames, each update. */
export const FOLLOWED: ReadonlyMap<string, Venue> = new Map(
  VENUES.map((venue) => [
    venue.source,
    venue.source === 'pyth' ? pythVenue(FRAME_KEYS, { readEveryMs: 0 }) : venue,
  ]),
);

/** Products with two decimals whose quotes of one venue are followed as a feed follows them. */
export class Follower {
  readonly faults: string[] = [];
  /** What the venue's frames said, and the quotes that came of it. */
  readonly events: VenueEvent[] = [];
  readonly quotes: Quote[] = [];
  readonly board: QuoteBoard;
  readonly #connection: VenueConnection;
  readonly #told = new Map<number, bigint[]>();

  /** @param markets the first one is product 0 */
  constructor(
    venue: Venue,
    url: string,
    markets: readonly string[],
    { refusedLifeMs }: Pick<FollowedOptions, 'refusedLifeMs'> = {},
  ) {
    const listings = markets.map((market, productId) => [market, { productId, decimals: 2 }] as const);
    this.board = new QuoteBoard(venue.source, new Map(listings));
    this.#connection = new VenueConnection({
      venue,
      access: { url, key: VENUE_KEY, account: VENUE_ACCOUNT },
      markets,
      ...(refusedLifeMs === undefined ? {} : { refusedLifeMs }),
      tell: {
        events: (events) => {
          this.events.push(...events);
          const isOrdered = this.board.apply(events, Date.now());
          // The board keeps only the newest quote of a grid time.
          for (const { productId, quote } of this.board.take(Date.now())) {
            this.quotes.push(quote);
            this.#told.set(productId, [...(this.#told.get(productId) ?? []), quote.price]);
          }
          return isOrdered;
        },
        fault: (why) => this.faults.push(why),
        connected: () => {},
      },
    });
    this.#connection.start();
  }

  stop(): void {
    this.#connection.stop();
  }

  /** Prices of a product that were told since the last call, in points. */
  prices(productId = 0): bigint[] {
    const told = this.#told.get(productId) ?? [];
    this.#told.delete(productId);
    return told;
  }

  /** Waits for a price. */
  async next(productId = 0): Promise<bigint> {
    let found: bigint | undefined;
    await until(() => {
      found = this.prices(productId).at(-1);
      return found !== undefined;
    });
    return found as bigint;
  }
}

/** For tests of a venue that falls silent: its own silence is seconds. In other tests a busy machine would be taken for one. */
export const SHORT_SILENCE_MS = 800;
/** A price that was said while no connection was open is lost, and is said again. */
const AGAIN_MS = 1_000;

interface FollowedOptions {
  /** Markets beside that of the frames. */
  readonly others?: readonly string[];
  readonly server?: VenueServer;
  /** Another address than the server's. */
  readonly url?: string;
  /** By default the venue's own. */
  readonly silenceMs?: number;
  /** How long a connection lives on which the venue refused something. */
  readonly refusedLifeMs?: number;
}

/** A venue on loopback and a follower of it. */
export class FollowedVenue {
  readonly server: VenueServer;
  readonly follower: Follower;
  readonly frames: FrameOf;
  #order = 100;

  private constructor(server: VenueServer, follower: Follower, frames: FrameOf) {
    this.server = server;
    this.follower = follower;
    this.frames = frames;
  }

  static async open(
    venue: Venue,
    { others = [], server, url, silenceMs = venue.silenceMs, ...options }: FollowedOptions = {},
  ): Promise<FollowedVenue> {
    const frames = ALL_FRAMES[venue.source] as FrameOf;
    const own = server ?? (await VenueServer.start({ carrier: venue.carrier }));
    const markets = [frames.market, ...others];
    const follower = new Follower({ ...venue, silenceMs }, url ?? own.url, markets, options);
    return new FollowedVenue(own, follower, frames);
  }

  /** Opens one that has been asked for its markets. */
  static async asked(venue: Venue, options: FollowedOptions = {}): Promise<FollowedVenue> {
    const followed = await FollowedVenue.open(venue, options);
    await until(() => followed.server.heard.length > 0);
    return followed;
  }

  async close(): Promise<void> {
    this.follower.stop();
    await this.server.close();
  }

  /** The venue's next frame with a price. */
  price(bid: string, { ask = bid, atMs = Date.now() } = {}): string {
    this.#order += 1;
    return this.frames.price({ bid, ask, atMs, order: this.#order });
  }

  /** A proof that the last price still holds; null where the venue's pong is one. */
  alive(): string | null {
    return this.frames.alive({ atMs: Date.now(), order: this.#order });
  }

  /** The number of the last frame. */
  get order(): number {
    return this.#order;
  }

  /** Says a price and waits until it is told. @returns the last price that is told, in points */
  async priced(bid: string): Promise<bigint> {
    let saidMs = Number.NEGATIVE_INFINITY;
    return seen(() => {
      if (performance.now() - saidMs >= AGAIN_MS) {
        this.server.say(this.price(bid));
        saidMs = performance.now();
      }
      return this.follower.prices().at(-1);
    });
  }

  /** Waits for a new connection, and says a price on it. @returns the price that is told, in points */
  async back(bid: string): Promise<bigint> {
    const { opened } = this.server;
    await until(() => this.server.opened > opened && this.server.open > 0);
    return this.priced(bid);
  }
}
