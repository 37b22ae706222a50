import { isFull } from '@fairtick/kit/size.ts';
import { FRAME_KEYS, FRAMES, type FrameOf, KEYED_FRAMES, pythFrame } from '@fairtick/kit/venues/frames.ts';
import { VenueServer } from '@fairtick/kit/venues/venue-server.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { QuoteBoard } from './quote-board.ts';
import type { Venue, VenueEvent } from './venue.ts';
import { VenueConnection } from './venue-connection.ts';
import { pythVenue } from './venues/pyth.ts';
import { VENUES } from './venues.ts';

const KEY = 'k3y.of-the_OPERATOR~0123456789abcdef';
const ACCOUNT = '101-004-1234567-001';
const ALL_FRAMES: Readonly<Record<string, FrameOf>> = { ...FRAMES, ...KEYED_FRAMES };

/** All venues; Pyth with the keys of the test's frames, and every update is read. */
const ALL: readonly (readonly [string, Venue])[] = VENUES.map((venue) => [
  venue.source,
  venue.source === 'pyth' ? pythVenue(FRAME_KEYS, { readEveryMs: 0 }) : venue,
]);
const venueOf = (source: string): Venue => new Map(ALL).get(source) as Venue;

/** A product with two decimals whose quotes of one venue are followed as a feed follows them. */
class Follower {
  readonly faults: string[] = [];
  readonly told: VenueEvent[] = [];
  readonly board: QuoteBoard;
  readonly #connection: VenueConnection;

  constructor(venue: Venue, url: string, market: string) {
    this.board = new QuoteBoard(venue.source, new Map([[market, { productId: 1, decimals: 2 }]]));
    this.#connection = new VenueConnection({
      venue,
      access: { url, key: KEY, account: ACCOUNT },
      markets: [market],
      tell: {
        events: (events) => {
          this.told.push(...events);
          this.board.apply(events, Date.now());
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

  /** Prices that arrived since the last call, in points. */
  prices(): bigint[] {
    return this.board.take(Date.now() + 60_000).map(({ quote }) => quote.price);
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
  const frames = ALL_FRAMES[source] as FrameOf;
  const line = { order: 100 } as { server: VenueServer; follower: Follower; order: number };
  beforeEach(async () => {
    line.server = await VenueServer.start(venue.carrier);
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

describe.each(ALL)('%s', (source, venue) => {
  const { line, price } = connected(source, venue);

  test('asks for its market and reads the price digit for digit', async () => {
    expect(line.server.heard.join()).toContain(
      source === 'binance' ? 'btcusdt@bookTicker' : (ALL_FRAMES[source] as FrameOf).market,
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

/** The connection is the same for all venues: a WebSocket and a stream stand for them, in `test:full` each. */
describe.each(isFull ? ALL : ALL.filter(([source]) => ['kraken', 'pyth'].includes(source)))(
  'the connection to %s',
  (source, venue) => {
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

    test('cuts a line with a frame of 20 MiB and comes back', async () => {
      line.server.say('x'.repeat(20 << 20));
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
  },
);

describe.each(ALL.filter(([, { needs }]) => needs.length > 0))('the key of %s', (_source, venue) => {
  const { line, price } = connected(venue.source, venue);
  /** The key and the account, and what is left of them when a peer cuts or changes them. */
  const seen = /k3y\.of|the_oper|89abcdef|1234567|101-004/i;

  test('goes to the venue', () => {
    expect(line.server.heard.join()).toContain(KEY);
  });

  test('that it refuses makes one fault and a long wait', async () => {
    const status = venue.source === 'pyth' ? 403 : 401;
    line.server.refuses = { status, body: `{"errorMessage":"Bearer ${KEY} of ${ACCOUNT} is not valid"}` };
    line.server.cut();
    await until(() => line.follower.faults.length > 0);
    const { requests } = line.server;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(line.server.requests).toBe(requests);
    expect(line.follower.faults).toHaveLength(1);
    expect(line.follower.faults[0]).toContain(`answers ${status} (it refuses the key): {"errorMessage"`);
    expect(line.follower.faults[0]).not.toMatch(seen);
  });

  test('stays out of what is told, wherever the venue repeats it', async () => {
    const { server, follower } = line;
    server.say(
      `{"errorMessage":"no ${KEY}"}`,
      `{"messageType":"E","response":{"code":400,"message":"${encodeURIComponent(KEY)} ${KEY.slice(3, -3)}"}}`,
      `${KEY} is no JSON`,
    );
    await until(() => follower.faults.length >= (venue.source === 'pyth' ? 1 : 2));
    server.refuses = {
      status: 500,
      headers: { 'x-request': KEY },
      body: `authorization: Bearer ${KEY.toUpperCase()}, ${ACCOUNT}`,
    };
    if (venue.carrier === 'socket') server.farewell(4001, `bad ${KEY} ${'x'.repeat(40)}`);
    else server.cut();
    await until(() => follower.faults.some((why) => why.includes('answers 500')));
    expect(follower.faults.join()).not.toMatch(seen);
    expect(follower.faults.join()).toContain('***');
    server.refuses = null;
    await until(() => server.open > 0);
    server.say(price('100.00'));
    expect(await follower.next()).toBe(10_000n);
  }, 20_000);
});

describe('OANDA', () => {
  const { line, price } = connected('oanda', venueOf('oanda'));
  const { alive } = KEYED_FRAMES.oanda as FrameOf;

  test.each([
    ['isn’t traded', '"tradeable":true', '"tradeable":false'],
    ['has halted', '"status":"tradeable"', '"status":"halted"'],
    ['has no bids', /"bids":\[.*?\]/, '"bids":[]'],
    ['has null for a price', /"price":"[\d.]+"/, '"price":null'],
  ])(
    'a market that %s has no price, and no heartbeat restates the last one',
    async (_case, before, after) => {
      line.server.say(price('100.00'));
      expect(await line.follower.next()).toBe(10_000n);
      line.server.say(price('101.00').replace(before, after));
      await until(() => line.follower.board.priced(Date.now()).length === 0);
      line.follower.prices();
      line.server.say(alive({ atMs: Date.now(), order: 1 }) as string);
      await until(() => line.follower.told.at(-1)?.kind === 'alive');
      expect(line.follower.prices()).toEqual([]);
    },
  );

  test('a heartbeat restates the last price with its own time', async () => {
    const atMs = Date.now() - 400;
    line.server.say(price('100.00', { atMs }));
    await line.follower.next();
    line.server.say(alive({ atMs: atMs + 300, order: 1 }) as string);
    await until(() => {
      const { quote } = line.follower.board.take(Date.now() + 1_000).at(-1) ?? {};
      return quote?.sourceMs === atMs + 300 && quote.price === 10_000n;
    });
  });
});

describe('Tiingo', () => {
  const { line, price } = connected('tiingo', venueOf('tiingo'));

  test('takes the middle of bid and ask, which are no text', async () => {
    line.server.say(price('105944.20', { ask: '105944.40' }));
    expect(await line.follower.next()).toBe(10_594_430n);
  });

  test('a side that is null has no price', async () => {
    line.server.say(price('100.00'));
    await line.follower.next();
    line.server.say(price('100.00').replace('5000000.0,100.00,', '5000000.0,null,'));
    await until(() => line.follower.board.priced(Date.now()).length === 0);
  });

  test('an error frame about the key makes one fault and a long wait', async () => {
    line.server.greeting = () => [
      '{"messageType":"E","response":{"code":401,"message":"token not recognised"}}',
    ];
    line.server.cut();
    await until(() => line.follower.faults.length > 0);
    const { requests } = line.server;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(line.server.requests).toBe(requests);
    expect(line.follower.faults).toEqual(['refuses the key: 401 token not recognised']);
  });
});

describe('Pyth', () => {
  const { line, price } = connected('pyth', venueOf('pyth'));
  const nowMs = Math.floor(Date.now() / 1_000) * 1_000;
  const slot = BigInt(nowMs / 50);

  test('a price carries the bytes that were signed, and the time of its number', async () => {
    line.server.say(pythFrame('1.0845', { atMs: nowMs, slot: slot + 7n }));
    await until(() => line.follower.told.some(({ kind }) => kind === 'price'));
    const event = line.follower.told.find(({ kind }) => kind === 'price');
    expect(event).toMatchObject({ prices: ['10845e-4'], sourceMs: nowMs + 350, order: slot + 7n });
    expect((event as { signed: Uint8Array }).signed.length).toBeGreaterThan(350);
  });

  test('an update that was changed, or isn’t signed by these keys, is refused and counted', async () => {
    const flip = (bytes: Uint8Array) => bytes.with(bytes.length - 60, (bytes.at(-60) as number) ^ 1);
    line.server.say(
      pythFrame('100.00', { atMs: nowMs, slot, update: flip }),
      pythFrame('100.00', { atMs: nowMs, slot, update: (bytes) => bytes.subarray(0, -1) }),
      '{"binary":{"encoding":"hex","data":["00zz"]}}',
      '{"binary":{"encoding":"hex","data":[null,{},7]}}',
    );
    await until(() => line.follower.board.figures.refused === 6);
    expect(line.follower.prices()).toEqual([]);
    expect(line.follower.faults[0]).toBe("refuses: an update without Pyth's signatures (path)");
    const ours = venueOf('pyth');
    const theirs = (VENUES.find(({ source }) => source === 'pyth') as Venue).reader(
      new Set([(KEYED_FRAMES.pyth as FrameOf).market]),
    );
    expect(ours).not.toBe(theirs);
    expect(theirs(JSON.parse(pythFrame('100.00', { atMs: nowMs, slot })))).toMatchObject([
      { kind: 'refused', why: expect.stringContaining('signature') },
    ]);
    line.server.say(price('100.00'));
    expect(await line.follower.next()).toBe(10_000n);
  });

  test('a price whose confidence is too wide is none', async () => {
    // 20 in 10 000 of 100.00, in units of its last decimal.
    line.server.say(pythFrame('100.00', { atMs: nowMs, slot, conf: 20n }));
    expect(await line.follower.next()).toBe(10_000n);
    line.server.say(pythFrame('100.00', { atMs: nowMs, slot: slot + 1n, conf: 21n }));
    await until(() => line.follower.board.priced(Date.now()).length === 0);
  });

  test('what the server says in an event of errors is told', async () => {
    line.server.say('{}\n\nevent:error\ndata:Slow consumer: disconnected');
    await until(() => line.follower.faults.includes('says Slow consumer: disconnected'));
  });
});

test('of updates of Pyth that come at once the first alone is checked', () => {
  const reader = pythVenue(FRAME_KEYS).reader(new Set([(KEYED_FRAMES.pyth as FrameOf).market]));
  const atMs = Date.now();
  const frames = [1n, 2n].map((slot) => JSON.parse(pythFrame('100.00', { atMs, slot })));
  expect(frames.map((frame) => reader(frame).length)).toEqual([1, 0]);
});
