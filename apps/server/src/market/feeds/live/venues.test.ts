import { isFull } from '@fairtick/kit/size.ts';
import { FRAMES, type FrameOf } from '@fairtick/kit/venues/frames.ts';
import { VenueServer } from '@fairtick/kit/venues/venue-server.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { QuoteBoard } from './quote-board.ts';
import type { Venue } from './venue.ts';
import { VenueSocket } from './venue-socket.ts';
import { VENUES } from './venues.ts';

/** A product with two decimals whose quotes of one venue are followed as a feed follows them. */
class Follower {
  readonly faults: string[] = [];
  readonly #board: QuoteBoard;
  readonly #socket: VenueSocket;

  constructor(venue: Venue, url: string, market: string) {
    this.#board = new QuoteBoard(venue.source, new Map([[market, { productId: 1, decimals: 2 }]]));
    this.#socket = new VenueSocket({
      venue,
      url,
      markets: [market],
      tell: {
        events: (events) => {
          this.#board.apply(events, Date.now());
          for (const event of events) if (event.kind === 'refused') this.faults.push(event.why);
        },
        fault: (why) => this.faults.push(why),
        connected: () => {},
      },
    });
    this.#socket.start();
  }

  stop(): void {
    this.#socket.stop();
  }

  /** Prices that arrived since the last call, in points. */
  prices(): bigint[] {
    return this.#board.take(Date.now() + 60_000).map(({ quote }) => quote.price);
  }

  async next(): Promise<bigint> {
    let found: bigint | undefined;
    await until(() => {
      found = this.prices().at(-1);
      return found !== undefined;
    });
    return found as bigint;
  }
}

/** A venue on loopback and a follower of it, anew for each test. */
function connected(source: string, venue: Venue) {
  const frames = FRAMES[source] as FrameOf;
  const line = { order: 100 } as { server: VenueServer; follower: Follower; order: number };
  beforeEach(async () => {
    line.server = await VenueServer.start();
    // The venue's own silence is seconds; the rule is the same.
    line.follower = new Follower({ ...venue, silenceMs: 800 }, line.server.url, frames.market);
    await until(() => line.server.heard.length > 0);
  });
  afterEach(async () => {
    line.follower.stop();
    await line.server.close();
  });
  const price = (bid: string, { ask = bid, atMs = Date.now() } = {}) => {
    line.order += 1;
    return frames.price({ bid, ask, atMs, order: line.order });
  };
  return {
    line,
    price,
    untilBack: async (bid: string, points: bigint) => {
      const { server, follower } = line;
      const opened = server.opened;
      await until(() => server.opened > opened && server.open > 0);
      server.say(price(bid));
      expect(await follower.next()).toBe(points);
    },
  };
}

describe.each(VENUES.map((venue) => [venue.source, venue] as const))('%s', (source, venue) => {
  const { line, price } = connected(source, venue);

  test('asks for its market and reads the price digit for digit', async () => {
    expect(line.server.heard.join()).toContain(
      source === 'binance' ? 'btcusdt@bookTicker' : (FRAMES[source] as FrameOf).market,
    );
    line.server.say(price('105944.20'));
    expect(await line.follower.next()).toBe(10_594_420n);
    line.server.say(price('105944.299999999999999'));
    expect(await line.follower.next()).toBe(10_594_429n);
  });

  test.each(['0', '-5', '1e400', '123456789012345678901234567890123456789012'])(
    'takes no price of %s, and the next one again',
    async (text) => {
      line.server.say(price('100.00'));
      expect(await line.follower.next()).toBe(10_000n);
      line.server.say(price(text), 'not json', '{"a":', '[]', 'null', '{}', '{"data":null}');
      line.server.say(price('101.00'));
      expect(await line.follower.next()).toBe(10_100n);
    },
  );

  test('ignores frames again, out of order and of the future', async () => {
    const nowMs = Date.now();
    const first = price('100.00', { atMs: nowMs });
    line.server.say(first, price('101.00', { atMs: nowMs + 1 }));
    expect(await line.follower.next()).toBe(10_100n);
    line.server.say(first);
    if (source !== 'binance') line.server.say(price('105.00', { atMs: nowMs + 60_000 }));
    line.server.say(price('102.00', { atMs: nowMs + 2 }));
    await until(() => line.follower.prices().at(-1) === 10_200n);
  });
});

/** The connection is the same for all venues: one stands for them, in `test:full` each. */
describe.each(
  (isFull ? VENUES : VENUES.filter(({ source }) => source === 'kraken')).map(
    (venue) => [venue.source, venue] as const,
  ),
)('the connection to %s', (source, venue) => {
  const { line, price, untilBack } = connected(source, venue);

  test('comes back by itself after a cut', async () => {
    line.server.say(price('100.00'));
    await line.follower.next();
    line.server.cut();
    await untilBack('103.00', 10_300n);
  });

  test('cuts a line that is silent but for pings, and comes back', async () => {
    line.server.say(price('100.00'));
    await line.follower.next();
    const pings = setInterval(() => line.server.ping(), 100);
    await untilBack('104.00', 10_400n);
    clearInterval(pings);
    expect(line.follower.faults.join()).toContain('sent nothing');
  });

  test('cuts a half-open line and comes back', async () => {
    line.server.say(price('100.00'));
    await line.follower.next();
    line.server.freeze();
    await untilBack('105.00', 10_500n);
  });

  test('cuts a line with a frame of 2 MiB and comes back', async () => {
    line.server.say('x'.repeat(2 << 20));
    await untilBack('106.00', 10_600n);
  });

  test('reads a frame that comes one byte at a time', async () => {
    const text = '{"x":1}';
    await line.server.dribble(text);
    line.server.say(price('107.00'));
    expect(await line.follower.next()).toBe(10_700n);
  });

  test('waits as long as a 429 says, and comes back', async () => {
    line.server.say(price('100.00'));
    await line.follower.next();
    line.server.refuses = { status: 429, headers: { 'retry-after': '2' } };
    line.server.cut();
    await until(() => line.follower.faults.includes('answers 429'));
    const refusedMs = performance.now();
    line.server.refuses = null;
    await untilBack('108.00', 10_800n);
    expect(performance.now() - refusedMs).toBeGreaterThanOrEqual(1_900);
  });
});
