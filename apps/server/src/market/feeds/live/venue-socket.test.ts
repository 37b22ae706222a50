import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { isFull } from '@fairtick/kit/size.ts';
import { FollowedVenue } from '@fairtick/kit/venues/follower.ts';
import { SELF_SIGNED } from '@fairtick/kit/venues/self-signed.ts';
import { VenueServer } from '@fairtick/kit/venues/venue-server.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';
import { VENUES } from './venues.ts';

/** The connection is the same for all venues: one stands for them, in `test:full` each. */
describe.each(
  (isFull ? VENUES : VENUES.filter(({ source }) => source === 'kraken')).map(
    (venue) => [venue.source, venue] as const,
  ),
)('the connection to %s', (_source, venue) => {
  const line = forTest(() => FollowedVenue.asked(venue));

  test('comes back by itself after a cut', async () => {
    await line.priced('100.00');
    line.server.cut();
    expect(await line.back('103.00')).toBe(10_300n);
  });

  test.each(['pings', 'nothing'])('cuts a line that brings %s, and comes back', async (what) => {
    await line.priced('100.00');
    const pings = setInterval(() => what === 'pings' && line.server.ping(), 100);
    expect(await line.back('104.00')).toBe(10_400n);
    clearInterval(pings);
    expect(line.follower.faults.join()).toContain('sent nothing');
  });

  test('cuts a half-open line and comes back', async () => {
    await line.priced('100.00');
    line.server.freeze();
    expect(await line.back('105.00')).toBe(10_500n);
  });

  test('cuts a line with a frame of 20 MiB and comes back', async () => {
    line.server.say('x'.repeat(20 << 20));
    expect(await line.back('106.00')).toBe(10_600n);
    expect(line.follower.faults.join()).toContain('Max payload size exceeded');
  });

  test('reads a price that comes one byte at a time', async () => {
    await line.server.dribble(line.price('107.00'));
    expect(await line.follower.next()).toBe(10_700n);
  });

  test('waits as long as a 429 says, and comes back', async () => {
    await line.priced('100.00');
    line.server.refuses = { status: 429, headers: { 'retry-after': '2' } };
    line.server.cut();
    await until(() => line.follower.faults.length > 0);
    const refusedMs = performance.now();
    line.server.refuses = null;
    expect(await line.back('108.00')).toBe(10_800n);
    expect(performance.now() - refusedMs).toBeGreaterThanOrEqual(1_900);
    expect(line.follower.faults).toEqual(['answers 429']);
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

const [venue] = VENUES as [(typeof VENUES)[0]];

test('a certificate that no authority signed is refused and named, and a right one is taken at the next attempt', async () => {
  const server = await VenueServer.start({ secrets: SELF_SIGNED });
  const line = await FollowedVenue.open(venue, { server });
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
  const line = await FollowedVenue.open(venue, { url: 'wss://venue.invalid' });
  const isNamed = (why: string) => /ENOTFOUND|EAI_AGAIN/.test(why) && why.includes('venue.invalid');
  await until(() => line.follower.faults.filter(isNamed).length > 1);
  expect(line.follower.faults.every(isNamed)).toBe(true);
  await line.close();
});
