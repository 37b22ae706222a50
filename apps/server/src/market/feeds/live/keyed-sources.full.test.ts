import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { FOLLOWED, FollowedVenue } from '@fairtick/kit/venues/follower.ts';
import { FRAME_KEYS, type FrameOf, KEYED_FRAMES, pythFrame } from '@fairtick/kit/venues/frames.ts';
import { VENUE_ACCOUNT, VENUE_KEY } from '@fairtick/kit/venues/venue-market.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';
import { readFrame, type Venue } from './venue.ts';
import { pyth, pythVenue } from './venues/pyth.ts';

const MARKETS = new Set([(KEYED_FRAMES.pyth as FrameOf).market]);

/** Waits until a frame takes the price of its market away; the end of a connection takes that of all. */
const untilUnpriced = ({ follower }: FollowedVenue): Promise<void> =>
  until(() => follower.events.some((event) => event.kind === 'gap' && event.market !== null));

/** Rules of sources with a key alone; `venues.test.ts` has those of every venue. */
describe.each([...FOLLOWED].filter(([, { needs }]) => needs !== undefined))(
  'the key of %s',
  (source, venue) => {
    const line = forTest(() => FollowedVenue.asked(venue));
    /** The key and the account, and what is left of them when a peer cuts or changes them. */
    const seen = /a-key\.that|body_may|23456789|1234567|101-004/i;

    test('goes to the venue', () => {
      expect(line.server.heard.join()).toContain(VENUE_KEY);
    });

    test('that it refuses makes one fault and a long wait', async () => {
      const status = source === 'pyth' ? 403 : 401;
      line.server.refuses = {
        status,
        body: `{"errorMessage":"Bearer ${VENUE_KEY} of ${VENUE_ACCOUNT} is not valid"}`,
      };
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
        `{"errorMessage":"no ${VENUE_KEY}"}`,
        `{"messageType":"E","response":{"code":400,"message":"${encodeURIComponent(VENUE_KEY)} ${VENUE_KEY.slice(3, -3)}"}}`,
        `${VENUE_KEY} is no JSON`,
      );
      await until(() => follower.faults.length >= (source === 'pyth' ? 1 : 2));
      server.refuses = {
        status: 500,
        headers: { 'x-request': VENUE_KEY },
        body: `authorization: Bearer ${VENUE_KEY.toUpperCase()}, ${VENUE_ACCOUNT}`,
      };
      if (venue.carrier === 'socket') server.farewell(4001, `bad ${VENUE_KEY} ${'x'.repeat(40)}`);
      else server.cut();
      await until(() => follower.faults.some((why) => why.includes('answers 500')));
      expect(follower.faults.join()).not.toMatch(seen);
      expect(follower.faults.join()).toContain('***');
      server.refuses = null;
      await until(() => server.open > 0);
      server.say(line.price('100.00'));
      expect(await follower.next()).toBe(10_000n);
    }, 20_000);
  },
);

describe('OANDA', () => {
  const line = forTest(() => FollowedVenue.asked(FOLLOWED.get('oanda') as Venue));

  test.each([
    ['isn’t traded', '"tradeable":true', '"tradeable":false'],
    ['has halted', '"status":"tradeable"', '"status":"halted"'],
    ['has no bids', /"bids":\[.*?\]/, '"bids":[]'],
    ['has null for a price', /"price":"[\d.]+"/, '"price":null'],
  ])('a market that %s has no price', async (_case, before, after) => {
    line.server.say(line.price('100.00'));
    expect(await line.follower.next()).toBe(10_000n);
    line.server.say(line.price('101.00').replace(before, after));
    await untilUnpriced(line);
    expect(line.follower.board.priced(Date.now())).toEqual(new Map());
  });
});

describe('Tiingo', () => {
  const line = forTest(() => FollowedVenue.asked(FOLLOWED.get('tiingo') as Venue));

  test('takes the middle of bid and ask, which are no text', async () => {
    line.server.say(line.price('105944.20', { ask: '105944.40' }));
    expect(await line.follower.next()).toBe(10_594_430n);
  });

  test('a side that is null has no price', async () => {
    await line.priced('100.00');
    line.server.say(line.price('100.00').replace('5000000.0,100.00,', '5000000.0,null,'));
    await untilUnpriced(line);
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
  const line = forTest(() => FollowedVenue.asked(FOLLOWED.get('pyth') as Venue));
  const nowMs = Math.floor(Date.now() / 1_000) * 1_000;
  const slot = BigInt(nowMs / 50);

  test('a price has the time of its number, and a record the bytes that were signed', async () => {
    line.server.say(pythFrame('1.0845', { atMs: nowMs, slot: slot + 7n }));
    await until(() => line.follower.events.some(({ kind }) => kind === 'price'));
    const said = { prices: ['10845e-4'], sourceMs: nowMs + 350, order: slot + 7n };
    expect(line.follower.events.find(({ kind }) => kind === 'price')).toMatchObject(said);
    const record = line.follower.events.find(({ kind }) => kind === 'record');
    const second = BigInt(nowMs / 1_000);
    expect(record).toMatchObject({
      number: second,
      previous: second - 1n,
      price: '10845e-4',
      sourceMs: nowMs,
    });
    expect((record as { signed: Uint8Array }).signed.length).toBeGreaterThan(350);
  });

  test('an update that was changed, or isn’t signed by these keys, is refused and counted', async () => {
    const flip = (bytes: Uint8Array) => bytes.with(bytes.length - 60, (bytes.at(-60) as number) ^ 1);
    line.server.say(
      pythFrame('100.00', { atMs: nowMs, slot, update: flip }),
      pythFrame('100.00', { atMs: nowMs, slot, update: (bytes) => bytes.subarray(0, -1) }),
      '{"binary":{"encoding":"hex","data":["00zz"]}}',
      '{"binary":{"encoding":"hex","data":[null,{},7]}}',
    );
    await until(() => line.follower.board.counts.read(Date.now()).refused === 6);
    expect(line.follower.prices()).toEqual([]);
    expect(line.follower.faults[0]).toBe("refuses: an update without Pyth's signatures (path)");
    // The keys of Pyth itself did not sign it.
    expect(pyth.reader(MARKETS)(readFrame(pythFrame('100.00', { atMs: nowMs, slot })))).toMatchObject([
      { kind: 'refused', why: expect.stringContaining('signature') },
    ]);
    line.server.say(line.price('100.00'));
    expect(await line.follower.next()).toBe(10_000n);
  });

  test('a price whose confidence is too wide is none', async () => {
    // 20 in 10 000 of 100.00, in units of its last decimal.
    line.server.say(pythFrame('100.00', { atMs: nowMs, slot, conf: 20n }));
    expect(await line.follower.next()).toBe(10_000n);
    line.server.say(pythFrame('100.00', { atMs: nowMs, slot: slot + 1n, conf: 21n }));
    await untilUnpriced(line);
  });

  test('what the server says in an event of errors is told', async () => {
    line.server.say('{}\n\nevent:error\ndata:Slow consumer: disconnected');
    await until(() => line.follower.faults.includes('says Slow consumer: disconnected'));
  });
});

test('of updates of Pyth that come at once the first alone is checked, and each that has a record', () => {
  // Longer than a check takes on any machine.
  const reader = pythVenue(FRAME_KEYS, { readEveryMs: 600_000 }).reader(MARKETS);
  const atMs = Math.floor(Date.now() / 1_000) * 1_000;
  const read = (second: number, slot: bigint) =>
    reader(readFrame(pythFrame('100.00', { atMs: atMs + second * 1_000, slot }))).map(({ kind }) => kind);
  expect([read(0, 1n), read(0, 2n), read(1, 3n), read(1, 4n), read(0, 5n)]).toEqual([
    ['record', 'price'],
    [],
    ['record', 'price'],
    [],
    [],
  ]);
});
