import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { isFull } from '@fairtick/kit/size.ts';
import { FOLLOWED, FollowedVenue, SHORT_SILENCE_MS } from '@fairtick/kit/venues/follower.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';

const ALL = [...FOLLOWED];

describe.each(ALL)('%s', (source, venue) => {
  const line = forTest(() => FollowedVenue.asked(venue));

  test('asks for its market and reads the price digit for digit', async () => {
    expect(line.server.heard.join()).toContain(
      source === 'binance' ? 'btcusdt@aggTrade' : line.frames.market,
    );
    line.server.say(line.price('105944.20'));
    expect(await line.follower.next()).toBe(10_594_420n);
    line.server.say(line.price('105944.299999999999999'));
    expect(await line.follower.next()).toBe(10_594_429n);
  });

  test.each(['0', '-5', '1e400', '123456789012345678901234567890123456789012'])(
    'takes no price of %s, and the next one again',
    async (text) => {
      line.server.say(line.price('100.00'));
      expect(await line.follower.next()).toBe(10_000n);
      line.server.say(line.price(text), 'not json', '{"a":', '[]', 'null', '{}', '{"data":null}');
      line.server.say(line.price('101.00'));
      expect(await line.follower.next()).toBe(10_100n);
    },
  );

  test('ignores frames again, out of order and of the future', async () => {
    const nowMs = Date.now();
    const first = line.price('100.00', { atMs: nowMs });
    line.server.say(first, line.price('101.00', { atMs: nowMs + 1 }));
    expect(await line.follower.next()).toBe(10_100n);
    line.server.say(first);
    line.server.say(line.price('105.00', { atMs: nowMs + 60_000 }));
    line.server.say(line.price('102.00', { atMs: nowMs + 2 }));
    await until(() => line.follower.prices().at(-1) === 10_200n);
  });
});

/** The connection is the same for all venues: a WebSocket and a stream stand for them, in `test:full` each. */
describe.each(isFull ? ALL : ALL.filter(([source]) => ['kraken', 'pyth'].includes(source)))(
  'the connection to %s',
  (_source, venue) => {
    const line = forTest(() => FollowedVenue.asked(venue));

    test('comes back by itself after a cut', async () => {
      await line.priced('100.00');
      line.server.cut();
      expect(await line.back('103.00')).toBe(10_300n);
    });

    describe('that falls silent', () => {
      const silent = forTest(() => FollowedVenue.asked(venue, { silenceMs: SHORT_SILENCE_MS }));

      test('cuts a line that is silent but for pings, and comes back', async () => {
        await silent.priced('100.00');
        const pings = setInterval(() => silent.server.ping(), 100);
        expect(await silent.back('104.00')).toBe(10_400n);
        clearInterval(pings);
        expect(silent.follower.faults.join()).toContain('sent nothing');
      });

      test('cuts a half-open line and comes back', async () => {
        await silent.priced('100.00');
        silent.server.freeze();
        expect(await silent.back('105.00')).toBe(10_500n);
      });
    });

    test('cuts a line with a frame of 20 MiB and comes back', async () => {
      line.server.say('x'.repeat(20 << 20));
      expect(await line.back('106.00')).toBe(10_600n);
    });

    test('reads a frame that comes one byte at a time', async () => {
      const text = '{"x":1}';
      await line.server.dribble(text);
      line.server.say(line.price('107.00'));
      expect(await line.follower.next()).toBe(10_700n);
    });

    test('waits as long as a 429 says, and comes back', async () => {
      await line.priced('100.00');
      line.server.refuses = { status: 429, headers: { 'retry-after': '2' } };
      line.server.cut();
      await until(() => line.follower.faults.includes('answers 429 (it asks to wait 2 s)'));
      const refusedMs = performance.now();
      line.server.refuses = null;
      expect(await line.back('108.00')).toBe(10_800n);
      expect(performance.now() - refusedMs).toBeGreaterThanOrEqual(1_900);
    });
  },
);
