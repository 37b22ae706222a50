import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { isFull } from '@fairtick/kit/size.ts';
import { FAULTS, type FaultFrames } from '@fairtick/kit/venues/fault-frames.ts';
import { FollowedVenue, SHORT_SILENCE_MS } from '@fairtick/kit/venues/follower.ts';
import { renamed } from '@fairtick/kit/venues/renamed.ts';
import { SELF_SIGNED } from '@fairtick/kit/venues/self-signed.ts';
import { VenueServer } from '@fairtick/kit/venues/venue-server.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';
import type { Venue } from './venue.ts';
import { VENUES } from './venues.ts';

/** Faults of exchanges, beside those that every venue has (`venues.test.ts`): after each the product has a right price or none. */
const EXCHANGES = VENUES.filter(({ source }) => source in FAULTS).map(
  (venue) => [venue.source, venue] as const,
);

/** Keys of times, in whatever unit: their values have 13 to 16 digits, or a date. */
const TIME_KEYS = /"\w+":(?="?(?:\d{13,16}\b|\d{4}-\d\d-\d\dT))/g;

describe.each(EXCHANGES)('%s', (source, venue) => {
  const line = forTest(() => FollowedVenue.asked(venue));
  const faults = FAULTS[source] as FaultFrames;

  test.each(['NaN', 'Infinity'])('takes no price of %s, and the next one again', async (text) => {
    await line.priced('100.00');
    line.server.say(line.price(text), line.price('101.00'));
    await until(() => line.follower.prices().at(-1) === 10_100n);
  });

  test('has no price after frames were lost, and after one without a price, until the next one', async () => {
    for (const without of [faults.empty, faults.lost]) {
      await line.priced('100.00');
      const frame = without(line.order + 1);
      if (frame === null) continue;
      line.server.say(frame);
      await until(() => line.follower.events.at(-1)?.kind === 'gap');
      expect(line.follower.board.priced(Date.now())).toEqual(new Map());
      line.server.say(line.price('101.00'));
      await until(() => line.follower.prices().at(-1) === 10_100n);
    }
  });

  test('says what the venue refuses, and goes on', async () => {
    await line.priced('100.00');
    line.server.say(faults.refusal(line.frames.market));
    line.server.say(line.price('101.00'));
    expect(await line.follower.next()).toBe(10_100n);
    expect(line.follower.faults.join()).toContain(faults.why);
  });

  test('takes no price without the time that its frames have', async () => {
    await line.priced('100.00');
    line.server.say(line.price('101.00').replace(TIME_KEYS, '"no":'));
    await until(() => line.follower.events.at(-1)?.kind === 'gap');
    line.server.say(
      line
        .price('101.00')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|"\d{13,16}"|:\d{13}\b/g, (time) =>
          time[0] === ':' ? ':"Fri"' : time[0] === '"' ? '"Fri"' : 'Fri Nov 27 2026 21:49:00',
        ),
    );
    await until(() => line.follower.events.filter(({ kind }) => kind === 'gap').length === 2);
    expect(line.follower.prices()).toEqual([]);
  });

  if (faults.farewell)
    test('overlaps the end that a notice announces, without a hole', async () => {
      await line.priced('100.00');
      line.server.say(faults.farewell as string);
      // The second connection is never opened within a second of the first, which goes on.
      await until(() => {
        line.server.say(line.price('101.00'));
        return line.server.open === 2;
      });
      await until(() => {
        line.server.say(line.price('102.00'));
        return line.server.open === 1 && line.follower.prices().at(-1) === 10_200n;
      });
    });
});

describe('bybit', () => {
  const line = forTest(() => FollowedVenue.asked(VENUES.find(({ source }) => source === 'bybit') as Venue));
  const frame = (type: string, book: object, u: number) => ({
    topic: 'orderbook.1.BTCUSDT',
    type,
    ts: Date.now(),
    cts: Date.now(),
    data: { s: 'BTCUSDT', u, seq: u, ...book },
  });

  test('has no price while a change takes the only bid away, and the next bid again', async () => {
    line.server.say(frame('snapshot', { b: [['100.00', '1']], a: [['100.10', '1']] }, 8));
    expect(await line.follower.next()).toBe(10_005n);
    line.server.say(frame('delta', { b: [['100.00', '0']], a: [] }, 9));
    await until(() => line.follower.events.at(-1)?.kind === 'gap');
    line.server.say(frame('delta', { b: [], a: [['100.20', '1']] }, 10));
    await until(() => line.follower.events.filter(({ kind }) => kind === 'gap').length === 2);
    expect(line.follower.prices()).toEqual([]);
    line.server.say(frame('delta', { b: [['100.04', '2']], a: [] }, 11));
    expect(await line.follower.next()).toBe(10_012n);
  });
});

const REFUSED_LIFE_MS = 1_500;

/** A venue without LUNA/USDT at first, and the requests that it takes. */
class Delisted {
  readonly taken: string[] = [];
  readonly #line: FollowedVenue;
  #isListed = false;

  private constructor(line: FollowedVenue) {
    this.#line = line;
  }

  static async open(venue: Venue): Promise<Delisted> {
    const { refusal, refuses } = FAULTS[venue.source] as FaultFrames;
    const market = venue.marketOf('LUNA', 'USDT');
    const server = await VenueServer.start();
    const options = { others: [market], server, refusedLifeMs: REFUSED_LIFE_MS };
    const delisted = new Delisted(await FollowedVenue.open(venue, options));
    server.answer = (frame) => {
      const isGone = !delisted.#isListed && frame.toUpperCase().includes(market.toUpperCase());
      if (!isGone || refuses !== 'request') delisted.taken.push(frame.toUpperCase());
      return isGone && refuses !== 'nothing' ? [refusal(market)] : [];
    };
    return delisted;
  }

  /** From now on the venue has the market. */
  list(): void {
    this.#isListed = true;
  }

  get line(): FollowedVenue {
    return this.#line;
  }

  close(): Promise<void> {
    return this.#line.close();
  }
}

describe.each(EXCHANGES)('%s', (source, venue) => {
  const delisted = forTest(() => Delisted.open(venue));
  const { refuses, why } = FAULTS[source] as FaultFrames;

  test('gives the other prices when one market is gone', async () => {
    const { line, taken } = delisted;
    await until(() => taken.join().includes(line.frames.market.toUpperCase()));
    await line.priced('100.00');
    expect(line.follower.prices(1)).toEqual([]);
    if (refuses !== 'nothing') await until(() => line.follower.faults.join().includes(why));
  });

  if (refuses !== 'nothing')
    test('gives the prices of a market that it refused first and takes later', async () => {
      const { line } = delisted;
      await line.priced('100.00');
      await until(() => line.follower.faults.join().includes(why));
      delisted.list();
      await until(() => line.server.opened === 2);
      await until(() => {
        line.server.say(line.price('101.00'), renamed(line.price('102.00'), 'LUNA'));
        return line.follower.prices(1).at(-1) === 10_200n;
      });
    });
});

/** The connection is the same for all: one stands for them, in `test:full` each. */
describe.each(isFull ? EXCHANGES : EXCHANGES.slice(0, 1))('the connection to %s', (source, venue) => {
  const line = forTest(() => FollowedVenue.asked(venue));
  const faults = FAULTS[source] as FaultFrames;

  describe('that falls silent', () => {
    const silent = forTest(() => FollowedVenue.asked(venue, { silenceMs: SHORT_SILENCE_MS }));

    test('is cut when it brings nothing, not even pings, and comes back', async () => {
      await silent.priced('100.00');
      expect(await silent.back('104.00')).toBe(10_400n);
      expect(silent.follower.faults.join()).toContain('sent nothing');
    });

    test('is cut when it brings refusals and frames that are no JSON alone', async () => {
      await silent.priced('100.00');
      const says = setInterval(() => silent.server.say('<html>', faults.refusal(silent.frames.market)), 100);
      await until(() => silent.follower.faults.join().includes('sent nothing of use'));
      clearInterval(says);
    });
  });

  test('reads a price that comes one byte at a time', async () => {
    await line.server.dribble(line.price('107.00'));
    expect(await line.follower.next()).toBe(10_700n);
  });

  test('leaves a venue alone that answers 418', async () => {
    line.server.refuses = { status: 418 };
    line.server.cut();
    await until(() => line.follower.faults.includes('answers 418'));
    const { opened } = line.server;
    line.server.refuses = null;
    // After any other answer the next attempt is a second later.
    await sleep(3_000);
    expect([line.server.opened, line.follower.faults]).toEqual([opened, ['answers 418']]);
  });

  test('waits until the time that a 503 names', async () => {
    // Far enough ahead that the answer may take long; a wrong reading is none, or another unit.
    const until503 = new Date(Date.now() + 900_000).toUTCString();
    line.server.refuses = { status: 503, headers: { 'retry-after': until503 } };
    line.server.cut();
    await until(() => /^answers 503 \(it asks to wait [89]\d\d s\)$/.test(line.follower.faults[0] ?? ''));
    const { requests } = line.server;
    await sleep(1_500);
    expect(line.server.requests).toBe(requests);
  });

  test('waits longer each time when a venue ends each connection after its first price', async () => {
    line.server.greeting = () => [line.price('100.00')];
    const ends = setInterval(() => line.server.cut(), 50);
    await sleep(6_000);
    clearInterval(ends);
    // Without growing waits it would be six.
    expect(line.server.opened).toBeLessThanOrEqual(4);
  });

  test('is replaced when its frames stay older than earlier ones', async () => {
    await line.priced('100.00');
    let order = 0;
    const says = setInterval(() => {
      order += 1;
      line.server.say(line.frames.price({ bid: '90.00', ask: '90.00', atMs: Date.now() - 10_000, order }));
    }, 100);
    await until(() => line.follower.faults.includes('sent older frames for too long'));
    clearInterval(says);
    expect(line.follower.prices()).not.toContain(9_000n);
    await until(() => line.server.opened === 2 && line.server.open > 0);
    line.server.say(line.price('103.00'));
    await until(() => line.follower.prices().at(-1) === 10_300n);
  });

  test('comes back when a venue that was out of reach appears', async () => {
    await line.priced('100.00');
    const port = Number(new URL(line.server.url).port);
    await line.server.close();
    await until(() => line.follower.faults.some((why) => why.includes('ECONNREFUSED')));
    const later = await VenueServer.start({ port });
    await until(() => later.heard.length > 0);
    later.say(line.price('109.00'));
    expect(await line.follower.next()).toBe(10_900n);
    await later.close();
  });
});

test('a certificate that no authority signed is refused and named, and a right one is taken at the next attempt', async () => {
  const server = await VenueServer.start({ secrets: SELF_SIGNED });
  const line = await FollowedVenue.open(EXCHANGES[0]?.[1] as Venue, { server });
  const trusted = tls.getCACertificates('default');
  try {
    const isNamed = (why: string) => why.startsWith('self-signed certificate');
    await until(() => line.follower.faults.filter(isNamed).length > 1);
    expect(server.opened).toBe(0);
    tls.setDefaultCACertificates([...trusted, SELF_SIGNED.cert]);
    expect(await line.back('110.00')).toBe(11_000n);
  } finally {
    tls.setDefaultCACertificates(trusted);
    await line.close();
  }
});

test('a name that does not resolve is named, and tried again', async () => {
  const line = await FollowedVenue.open(EXCHANGES[0]?.[1] as Venue, { url: 'wss://venue.invalid' });
  const isNamed = (why: string) => /ENOTFOUND|EAI_AGAIN/.test(why) && why.includes('venue.invalid');
  await until(() => line.follower.faults.filter(isNamed).length > 1);
  expect(line.follower.faults.every(isNamed)).toBe(true);
  await line.close();
});
