import { describe, expect, test } from 'vitest';
import { RunningClock } from './log-clock.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 5, 1, 12, 0, 0);

/** Two clocks that the test controls: the process's own, which only runs, and the database's, which can be set. */
class Clocks {
  readonly clock: RunningClock;
  ownMs = 1_000;
  databaseMs = START_MS;
  logMs = 0;

  constructor(offsetMs = 0, logMs = 0) {
    this.clock = new RunningClock(offsetMs);
    this.logMs = logMs;
  }

  /**
   * Both clocks run, then they are compared. The exchange takes `roundTripMs`, the share `early` of it before the database reads
   * its clock.
   */
  after(ms: number, { roundTripMs = 2, early = 0.5 } = {}) {
    this.ownMs += ms;
    this.databaseMs += ms;
    const sentMs = this.ownMs;
    const databaseMs = this.databaseMs + roundTripMs * early;
    this.ownMs += roundTripMs;
    this.databaseMs += roundTripMs;
    const time = this.clock.read({ databaseMs, sentMs, receivedMs: this.ownMs }, this.logMs);
    this.logMs = time.timeMs;
    return time;
  }

  set(ms: number): void {
    this.databaseMs += ms;
  }
}

describe('the log’s clock', () => {
  test('follows the database’s clock while nobody sets it', () => {
    const clocks = new Clocks();
    expect(clocks.after(0)).toEqual({ timeMs: START_MS + 1, offsetMs: 0, hasStepped: false });
    expect(clocks.after(248)).toEqual({ timeMs: START_MS + 251, offsetMs: 0, hasStepped: false });
  });

  test.each([HOUR_MS, -HOUR_MS, 2_000, -2_000, 30 * 24 * HOUR_MS])(
    'runs on when the database’s clock is set by %i ms: the step is cancelled at once',
    (stepMs) => {
      const clocks = new Clocks();
      clocks.after(0);
      const before = clocks.after(248);
      clocks.set(stepMs);
      const after = clocks.after(248);
      expect(after.hasStepped).toBe(true);
      expect(Math.abs(after.offsetMs + stepMs)).toBeLessThanOrEqual(4);
      expect(Math.abs(after.timeMs - before.timeMs - 250)).toBeLessThanOrEqual(4);
      expect(clocks.after(248).hasStepped).toBe(false);
    },
  );

  test.each([HOUR_MS, -HOUR_MS, 2_000, -2_000])(
    'after a step of %i ms reduces its offset by at most a tenth of the time that passes',
    (stepMs) => {
      const clocks = new Clocks();
      clocks.after(0);
      clocks.set(stepMs);
      let { offsetMs, timeMs } = clocks.after(248);
      for (let round = 0; round < 100; round += 1) {
        const next = clocks.after(248);
        const madeUp = Math.abs(offsetMs) - Math.abs(next.offsetMs);
        expect(madeUp).toBeGreaterThanOrEqual(Math.min(24, Math.abs(offsetMs)));
        expect(madeUp).toBeLessThanOrEqual(25);
        const passed = next.timeMs - timeMs;
        expect(passed).toBeGreaterThanOrEqual(224);
        expect(passed).toBeLessThanOrEqual(276);
        ({ offsetMs, timeMs } = next);
      }
      if (Math.abs(stepMs) < 2_500) expect(offsetMs).toBe(0);
    },
  );

  test('follows corrections of up to a second, without ever falling', () => {
    const clocks = new Clocks();
    clocks.after(0);
    const before = clocks.after(248);
    clocks.set(-900);
    const after = clocks.after(248);
    expect(after).toMatchObject({ hasStepped: false, offsetMs: 0 });
    expect(after.timeMs).toBe(before.timeMs);
    clocks.set(900);
    expect(clocks.after(248)).toMatchObject({ hasStepped: false, offsetMs: 0 });
  });

  test('does not take a slow answer of the database for a step', () => {
    for (const early of [0, 1]) {
      const clocks = new Clocks();
      clocks.after(0);
      clocks.after(248, { roundTripMs: 9_000, early });
      expect(clocks.after(0)).toMatchObject({ hasStepped: false, offsetMs: 0 });
    }
  });

  test('detects a step that is larger than the delay of a slow answer', () => {
    const clocks = new Clocks();
    clocks.after(0);
    clocks.set(5_000);
    const { hasStepped, offsetMs } = clocks.after(248, { roundTripMs: 2_000 });
    expect(hasStepped).toBe(true);
    expect(offsetMs).toBeLessThanOrEqual(-1_900);
  });

  test('never falls below the log’s last time, even if the clock was set back while no writer ran', () => {
    const clocks = new Clocks(0, START_MS + HOUR_MS);
    const first = clocks.after(0);
    expect(first.timeMs).toBe(START_MS + HOUR_MS);
    expect(first.hasStepped).toBe(true);
    expect(clocks.after(998).timeMs).toBeGreaterThan(START_MS + HOUR_MS + 850);
  });

  test('starts from the offset in the log’s head', () => {
    const clocks = new Clocks(-HOUR_MS);
    expect(clocks.after(0)).toEqual({
      timeMs: START_MS + 1 - HOUR_MS,
      offsetMs: -HOUR_MS,
      hasStepped: false,
    });
    expect(clocks.after(998).offsetMs).toBe(-HOUR_MS + 100);
  });

  test('gives the milliseconds until a time', () => {
    const clocks = new Clocks();
    expect(clocks.clock.msUntil(START_MS, clocks.ownMs)).toBe(0);
    const { timeMs } = clocks.after(0);
    expect(clocks.clock.msUntil(timeMs + 250, clocks.ownMs)).toBe(250);
    expect(clocks.clock.msUntil(timeMs + 250, clocks.ownMs + 100)).toBe(150);
    expect(clocks.clock.msUntil(timeMs - 1, clocks.ownMs)).toBe(0);
  });
});
