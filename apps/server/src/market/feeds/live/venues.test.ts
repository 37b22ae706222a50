import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { FAULTS, type FaultFrames } from '@fairtick/kit/venues/fault-frames.ts';
import { FollowedVenue } from '@fairtick/kit/venues/follower.ts';
import { VenueServer } from '@fairtick/kit/venues/venue-server.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';
import type { Venue } from './venue.ts';
import { VENUES } from './venues.ts';

describe.each(VENUES.map((venue) => [venue.source, venue] as const))('%s', (source, venue) => {
  const line = forTest(() => FollowedVenue.asked(venue));
  const faults = FAULTS[source] as FaultFrames;

  test('asks for its market and reads the price digit for digit', async () => {
    expect(line.server.heard.join()).toContain(
      source === 'binance' ? 'btcusdt@bookTicker' : line.frames.market,
    );
    line.server.say(line.price('105944.20'));
    expect(await line.follower.next()).toBe(10_594_420n);
    line.server.say(line.price('105944.299999999999999'));
    expect(await line.follower.next()).toBe(10_594_429n);
  });

  test.each(['0', '-5', 'NaN', '1e400', '123456789012345678901234567890123456789012'])(
    'takes no price of %s, and the next one again',
    async (text) => {
      await line.priced('100.00');
      line.server.say(line.price(text), 'not json', '{"a":', '[]', 'null', '{}', '{"data":null}');
      line.server.say(line.price('101.00'));
      expect(await line.follower.next()).toBe(10_100n);
    },
  );

  test('ignores frames again, out of order and of the future', async () => {
    const nowMs = Date.now();
    const first = line.price('100.00', { atMs: nowMs });
    line.server.say(first, line.price('101.00', { atMs: nowMs + 1 }));
    await until(() => line.follower.prices().at(-1) === 10_100n);
    line.server.say(first);
    if (source !== 'binance') line.server.say(line.price('105.00', { atMs: nowMs + 60_000 }));
    line.server.say(line.price('102.00', { atMs: nowMs + 2 }));
    await until(() => line.follower.prices().at(-1) === 10_200n);
  });

  test('restates no price after frames were lost, and after one without a price', async () => {
    for (const without of [faults.empty, faults.lost]) {
      await line.priced('100.00');
      const frame = without(line.order + 1);
      if (frame === null) continue;
      line.server.say(frame);
      const alive = line.alive();
      if (alive !== null) line.server.say(alive);
      line.server.say(line.price('101.00'));
      const told: bigint[] = [];
      await until(() => told.push(...line.follower.prices()) > 0 && told.includes(10_100n));
      expect(told).toEqual([10_100n]);
    }
  });

  test('says what the venue refuses, and goes on', async () => {
    await line.priced('100.00');
    line.server.say(faults.refusal(line.frames.market));
    line.server.say(line.price('101.00'));
    expect(await line.follower.next()).toBe(10_100n);
    expect(line.follower.faults.join()).toContain(faults.why);
  });

  test.runIf(faults.farewell)('overlaps the end that a notice announces, without a hole', async () => {
    await line.priced('100.00');
    line.server.say(faults.farewell as string);
    await until(() => line.server.open === 2);
    line.server.say(line.price('101.00'));
    expect(await line.follower.next()).toBe(10_100n);
    await until(() => line.server.open === 1);
    line.server.say(line.price('102.00'));
    expect(await line.follower.next()).toBe(10_200n);
  });
});

/** A venue without LUNA/USDT, and the requests that it takes. */
class Delisted {
  readonly taken: string[] = [];
  readonly #line: FollowedVenue;

  private constructor(line: FollowedVenue) {
    this.#line = line;
  }

  static async open(venue: Venue): Promise<Delisted> {
    const { refusal, refuses } = FAULTS[venue.source] as FaultFrames;
    const market = venue.marketOf('LUNA', 'USDT');
    const server = await VenueServer.start();
    const delisted = new Delisted(await FollowedVenue.open(venue, { others: [market], server }));
    server.answer = (frame) => {
      const isGone = frame.toUpperCase().includes(market.toUpperCase());
      if (!isGone || refuses !== 'request') delisted.taken.push(frame.toUpperCase());
      return isGone && refuses !== 'nothing' ? [refusal(market)] : [];
    };
    return delisted;
  }

  get line(): FollowedVenue {
    return this.#line;
  }

  close(): Promise<void> {
    return this.#line.close();
  }
}

describe.each(VENUES.map((venue) => [venue.source, venue] as const))('%s', (source, venue) => {
  const delisted = forTest(() => Delisted.open(venue));
  const { refuses, why } = FAULTS[source] as FaultFrames;

  test('gives the other prices when one market is gone', async () => {
    const { line, taken } = delisted;
    await until(() => taken.join().includes(line.frames.market.toUpperCase()));
    await line.priced('100.00');
    expect(line.follower.prices(1)).toEqual([]);
    if (refuses !== 'nothing') await until(() => line.follower.faults.join().includes(why));
  });
});
