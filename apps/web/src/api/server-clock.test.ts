import { expect, test } from 'vitest';
import { ServerClock } from './server-clock.ts';

/** The server's clock is this much ahead of the monotonic one. */
const AHEAD_MS = 1_800_000_000_000;
/** The server refuses an opening that is more than this after the earliest one. */
const MOST_AHEAD_MS = 10_000;

/** Exchanges over a line, each with its times there and back. */
function after(trips: readonly (readonly [there: number, back: number])[]): ServerClock {
  const clock = new ServerClock(0);
  for (const [at, [there, back]] of trips.entries()) {
    const sentMs = 1_000 * at;
    clock.take({ sentMs, serverMs: AHEAD_MS + sentMs + there, receivedMs: sentMs + there + back });
  }
  return clock;
}

/** How long before its deadline an order arrives that takes `there` ms; negative: too late. */
const spareMs = (clock: ServerClock, there: number) => clock.offsetMs + clock.marginMs - AHEAD_MS - there;

test('on a fast line the margin is a quarter of a second and little more', () => {
  const clock = after(Array.from({ length: 10 }, () => [10, 10]));
  expect(clock.marginMs).toBeGreaterThanOrEqual(250);
  expect(clock.marginMs).toBeLessThan(275);
  expect(clock.offsetMs).toBe(AHEAD_MS);
  expect(clock.errorMs).toBe(10);
});

test.each([
  ['two seconds each way', 2_000, 2_000],
  ['all of it on the way there', 3_000, 0],
  ['all of it on the way back', 0, 3_000],
])('an order arrives in time over a slow line: %s', (_name, there, back) => {
  const clock = after([
    [there, back],
    [there, back],
  ]);
  expect(spareMs(clock, there)).toBeGreaterThanOrEqual(250);
  expect(spareMs(clock, there)).toBeLessThan(1_000);
});

test('a line that was slow once gets time for it, until ten quicker round trips later', () => {
  const slow = after([
    [20, 20],
    [900, 20],
    [20, 20],
  ]);
  expect(spareMs(slow, 900)).toBeGreaterThanOrEqual(250);
  const quick = after([[900, 20], ...Array.from({ length: 10 }, () => [20, 20] as const)]);
  expect(quick.marginMs).toBeLessThan(300);
});

test('an answer without a time counts as a round trip and leaves the clock as it is', () => {
  const clock = after([[10, 10]]);
  clock.takeTrip(1_500);
  expect(clock.offsetMs).toBe(AHEAD_MS);
  expect(spareMs(clock, 1_490)).toBeGreaterThanOrEqual(250);
});

test('each late order makes the margin larger, orders in time make it smaller again, and it has a bound', () => {
  const clock = after([[10, 10]]);
  const before = clock.marginMs;
  clock.widen();
  expect(clock.marginMs).toBe(before + 500);
  for (let late = 0; late < 20; late += 1) clock.widen();
  clock.takeTrip(30_000);
  expect(clock.marginMs).toBeLessThanOrEqual(8_000);
  for (let trip = 0; trip < 10; trip += 1) clock.takeTrip(20);
  for (let order = 0; order < 5; order += 1) clock.narrow();
  expect(clock.marginMs).toBe(before);
});

test('no opening time is further ahead than the server allows, though the way there takes no time', () => {
  const clock = after([[0, 3_500]]);
  for (let late = 0; late < 20; late += 1) clock.widen();
  // Rounded up to a quarter of a second at most.
  expect(spareMs(clock, 0) + 250).toBeLessThanOrEqual(MOST_AHEAD_MS);
});

test('exchanges that no difference of clocks explains together are forgotten for the newest one', () => {
  const clock = after([[10, 10]]);
  const hourMs = 3_600_000;
  clock.take({ sentMs: 5_000, serverMs: AHEAD_MS + hourMs + 5_010, receivedMs: 5_020 });
  expect(clock.offsetMs).toBe(AHEAD_MS + hourMs);
});

test('a time that came with the page counts until the first exchange, and its error is unknown', () => {
  const clock = new ServerClock(0);
  clock.begin(AHEAD_MS + 300, 300);
  expect([clock.offsetMs, clock.errorMs]).toEqual([AHEAD_MS, null]);
  clock.take({ sentMs: 400, serverMs: AHEAD_MS + 420, receivedMs: 440 });
  expect([clock.offsetMs, clock.errorMs]).toEqual([AHEAD_MS, 20]);
});
